"""Frames of SPDY/3.1 and the compression of their headers. Pure; the figures are the protocol's (draft 3.1, section 2).

A control frame is ``1 | version (15) | type (16) | flags (8) | length (24)``, a data frame is
``0 | stream (31) | flags (8) | length (24)``; both are followed by ``length`` bytes.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

VERSION = 3
SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY, HEADERS = 1, 2, 3, 6, 7, 8
FIN = 0x01
"""Flag: the sender sends no more on this stream."""
REFUSED_STREAM = 3
"""Status of a RST_STREAM: nothing was done with it."""
MAX_FRAME_BYTES = 1024 * 1024
"""Clients send at most 64 KiB at a time; a length of 16 MiB is somebody else's protocol, or an attack."""
MAX_HEADER_BYTES = 64 * 1024

_WORDS = (
    "options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age allow "
    "authorization cache-control connection content-base content-encoding content-language content-length "
    "content-location content-md5 content-range content-type date etag expect expires from host if-match "
    "if-modified-since if-none-match if-range if-unmodified-since last-modified location max-forwards pragma "
    "proxy-authenticate proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade "
    "user-agent vary via warning www-authenticate method get status"
).split()
_MORE_WORDS = ("200 OK", "version", "HTTP/1.1", "url", "public", "set-cookie", "keep-alive", "origin")
_TAIL = (
    "100101201202205206300302303304305306307402405406407408409410411412413414415416417502504505"
    "203 Non-Authoritative Information204 No Content301 Moved Permanently400 Bad Request401 Unauthorized403 Forbidden"
    "404 Not Found500 Internal Server Error501 Not Implemented503 Service Unavailable"
    "Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec 00:00:00 Mon, Tue, Wed, Thu, Fri, Sat, Sun, GMT"
    "chunked,text/html,image/png,image/jpg,image/gif,application/xml,application/xhtml+xml,text/plain,text/javascript,"
    "publicprivatemax-age=gzip,deflate,sdchcharset=utf-8charset=iso-8859-1,utf-,*,enq=0."
)


def _block(text: str) -> bytes:
    return struct.pack("!I", len(text)) + text.encode()


DICTIONARY = b"".join(_block(word) for word in (*_WORDS, *_MORE_WORDS)) + _TAIL.encode()
"""What both sides' compressors know from the start; its checksum is 0xe3c6a7c2."""


class FrameError(ValueError):
    """What arrived is not SPDY/3.1."""


@dataclass(frozen=True, slots=True)
class Control:
    type: int
    flags: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Data:
    stream: int
    flags: int
    body: bytes


@dataclass
class Splitter:
    """Frames out of bytes that arrive in any pieces."""

    _buffer: bytearray = field(default_factory=bytearray)

    def feed(self, data: bytes) -> Iterator[Control | Data]:
        """The frames that are complete now. Raises ``FrameError``."""
        self._buffer += data
        while len(self._buffer) >= 8:
            first, second = struct.unpack_from("!II", self._buffer)
            flags, length = second >> 24, second & 0xFFFFFF
            if length > MAX_FRAME_BYTES:
                raise FrameError(f"a frame of {length} bytes")
            if len(self._buffer) < 8 + length:
                return
            body = bytes(self._buffer[8 : 8 + length])
            del self._buffer[: 8 + length]
            if not first >> 31:
                yield Data(first, flags, body)
            elif first >> 16 & 0x7FFF == VERSION:
                yield Control(first & 0xFFFF, flags, body)
            else:
                raise FrameError(f"version {first >> 16 & 0x7FFF}")


def control(type_: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack("!HHI", 0x8000 | VERSION, type_, flags << 24 | len(body)) + body


def data(stream: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack("!II", stream, flags << 24 | len(body)) + body


def reset(stream: int, status: int) -> bytes:
    return control(RST_STREAM, struct.pack("!II", stream, status))


class Headers:
    """Header blocks of one connection: each direction is one compressed stream from first to last."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(zdict=DICTIONARY)
        self._deflater = zlib.compressobj(zdict=DICTIONARY)

    def decode(self, block: bytes) -> dict[str, str]:
        """Names in lower case. Raises ``FrameError``."""
        try:
            raw = self._inflater.decompress(block, MAX_HEADER_BYTES)
            if self._inflater.unconsumed_tail:
                raise FrameError("headers that are too long")
            [count] = struct.unpack_from("!I", raw)
            position, texts = 4, []
            for _ in range(2 * count):
                [length] = struct.unpack_from("!I", raw, position)
                texts.append(raw[position + 4 : position + 4 + length].decode("latin-1"))
                position += 4 + length
        except (zlib.error, struct.error) as error:
            raise FrameError(f"headers: {error}") from error
        return {name.lower(): value for name, value in zip(texts[::2], texts[1::2], strict=True)}

    def encode(self, headers: Mapping[str, str]) -> bytes:
        raw = struct.pack("!I", len(headers)) + b"".join(_block(text) for pair in headers.items() for text in pair)
        return self._deflater.compress(raw) + self._deflater.flush(zlib.Z_SYNC_FLUSH)
