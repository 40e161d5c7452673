import struct
import zlib

import pytest

from sidings.server.spdy import frames
from sidings.server.spdy.frames import Control, Data, FrameError, Headers, Splitter


def test_the_dictionary_is_the_protocols() -> None:
    assert (len(frames.DICTIONARY), zlib.adler32(frames.DICTIONARY)) == (1423, 0xE3C6A7C2)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_frames_arrive_in_any_pieces(size: int) -> None:
    raw = frames.control(frames.PING, b"\0\0\0\1") + frames.data(5, b"hello") + frames.data(5, b"", frames.FIN)
    splitter = Splitter()
    found = [frame for at in range(0, len(raw), size) for frame in splitter.feed(raw[at : at + size])]
    assert found == [Control(frames.PING, 0, b"\0\0\0\1"), Data(5, 0, b"hello"), Data(5, frames.FIN, b"")]


@pytest.mark.parametrize(
    "raw", [b"GET / HT", struct.pack("!HHI", 0x8002, 1, 0), struct.pack("!II", 1, frames.MAX_FRAME_BYTES + 1)]
)
def test_what_is_no_frame(raw: bytes) -> None:
    with pytest.raises(FrameError):
        list(Splitter().feed(raw))


def test_headers_of_one_connection() -> None:
    ours, theirs = Headers(), Headers()
    for number in range(3):
        headers = {"streamtype": "data", "port": "80", "requestid": str(number)}
        assert theirs.decode(ours.encode(headers)) == headers


@pytest.mark.parametrize("block", [b"", b"nonsense", zlib.compress(b"no dictionary")])
def test_headers_that_are_none(block: bytes) -> None:
    with pytest.raises(FrameError):
        Headers().decode(block)


def test_a_bomb_of_headers() -> None:
    with pytest.raises(FrameError, match="too long"):
        Headers().decode(Headers().encode({"a": "x" * 10**7}))
