"""A client of SPDY, at the other end of a wire."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from sidings.server.spdy import frames
from sidings.server.spdy.frames import FIN, Control, Data, Headers, Splitter
from tests.server.sockets import Wire


class Client:
    """A client of SPDY at the other end of a wire."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._headers = Headers()
        self._next = 1

    def open(self, **headers: str) -> int:
        number, self._next = self._next, self._next + 2
        body = struct.pack("!IIH", number, 0, 0) + self._headers.encode(headers)
        self._wire.say(frames.control(frames.SYN_STREAM, body))
        return number

    def pair(self, port: str = "80", request: str = "0") -> tuple[int, int]:
        """(data, error)"""
        error = self.open(streamtype="error", port=port, requestid=request)
        self._wire.say(frames.data(error, b"", FIN))
        return self.open(streamtype="data", port=port, requestid=request), error

    def frames(self) -> Iterator[Control | Data]:
        splitter = Splitter()
        for message in self._wire.heard:
            yield from splitter.feed(message)

    def received(self, stream: int) -> tuple[bytes, bool]:
        """What came on a stream, and whether it has ended."""
        mine = [frame for frame in self.frames() if isinstance(frame, Data) and frame.stream == stream]
        return b"".join(frame.body for frame in mine), any(frame.flags & FIN for frame in mine)

    async def ended(self, *streams: int) -> None:
        await self._wire.until(lambda: all(self.received(stream)[1] for stream in streams))
