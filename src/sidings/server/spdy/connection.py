"""The streams of one SPDY connection, from the side that accepts them.

A stream that is not read holds up its connection (as on the other side: nobody has flow control), never the memory of
this process.
"""

from __future__ import annotations

import asyncio
import itertools
import struct
from collections.abc import Callable, Mapping
from typing import Protocol

from sidings.server.spdy import frames
from sidings.server.spdy.frames import FIN, Control, Data, Headers, Splitter

WAITING_FRAMES = 4
"""How many frames of a stream are taken before they are read."""
MAX_STREAMS = 1024
"""Streams open at a time in one connection."""
STILL_THERE_SECONDS = 5.0
"""How often a client of a stream that is not read is sent a ping: only that finds out whether it is still there."""


class Transport(Protocol):
    async def receive(self) -> bytes | None:
        """The next bytes; None at the end."""
        ...

    async def send(self, data: bytes) -> None:
        """Raises ``OSError`` once the client is gone."""
        ...


class Stream:
    """One stream that the client opened; ``headers`` say what for."""

    def __init__(self, connection: Connection, number: int, headers: Mapping[str, str]) -> None:
        self.number = number
        self.headers = headers
        self.ended = False
        """The client sends no more."""
        self.closed = False
        """We send no more."""
        self._connection = connection
        self._received: asyncio.Queue[bytes] = asyncio.Queue(WAITING_FRAMES)
        self._unread = True

    async def read(self) -> bytes:
        """The next bytes; ``b""`` once the client has closed its side."""
        if self.ended and self._received.empty():
            return b""
        return await self._received.get()

    async def write(self, data: bytes) -> None:
        """Raises ``ConnectionResetError`` where the client has given the stream up."""
        if self.closed:
            raise ConnectionResetError(f"stream {self.number} is closed")
        await self._connection.send(frames.data(self.number, data))

    async def close_writing(self) -> None:
        if not self.closed:
            self.closed = True
            await self._connection.send(frames.data(self.number, b"", FIN))
            self._connection.forget_if_over(self)

    async def close(self) -> None:
        """Send no more, and drop what the client still sends."""
        self._unread = False
        while not self._received.empty():
            self._received.get_nowait()
        await self.close_writing()

    async def deliver(self, data: bytes) -> None:
        """What the client sent, ``b""`` for its end; waits while too much of it is unread."""
        while self._unread and not self.ended:
            try:
                async with asyncio.timeout(STILL_THERE_SECONDS):
                    await self._received.put(data)
                break
            except TimeoutError:
                await self._connection.ping()
        self.ended = self.ended or not data

    async def reset(self) -> None:
        """The client has given the stream up."""
        self.closed = True
        await self.deliver(b"")


class Connection:
    """SPDY over ``transport``; ``opened`` is told of every stream that the client opens."""

    def __init__(self, transport: Transport, opened: Callable[[Stream], None]) -> None:
        self._transport = transport
        self._opened = opened
        self._headers = Headers()
        self._streams: dict[int, Stream] = {}
        self._pings = itertools.count(2, 2)

    async def serve(self) -> None:
        """Until the client is gone. Raises ``FrameError`` where it speaks something else."""
        splitter = Splitter()
        while (received := await self._transport.receive()) is not None:
            for frame in splitter.feed(received):
                if isinstance(frame, Data):
                    await self._take_data(frame)
                else:
                    await self._take_control(frame)

    async def send(self, frame: bytes) -> None:
        await self._transport.send(frame)

    async def ping(self) -> None:
        await self.send(frames.control(frames.PING, struct.pack("!I", next(self._pings))))

    def forget_if_over(self, stream: Stream) -> None:
        if stream.closed and stream.ended:
            self._streams.pop(stream.number, None)

    async def _take_data(self, frame: Data) -> None:
        stream = self._streams.get(frame.stream)
        if stream is None:
            return
        if frame.body:
            await stream.deliver(frame.body)
        if frame.flags & FIN:
            await stream.deliver(b"")
            self.forget_if_over(stream)

    async def _take_control(self, frame: Control) -> None:
        if frame.type == frames.SYN_STREAM and len(frame.body) >= 10:
            await self._open(frame)
        elif frame.type == frames.RST_STREAM and len(frame.body) >= 4:
            stream = self._streams.pop(_number(frame.body), None)
            if stream is not None:
                await stream.reset()
        elif frame.type == frames.PING and len(frame.body) == 4:
            if _number(frame.body) % 2:  # the client's own; even ones are answers to ours
                await self.send(frames.control(frames.PING, frame.body))
        elif frame.type in (frames.SYN_REPLY, frames.HEADERS):
            self._headers.decode(frame.body[4:])  # for the decompressor's sake

    async def _open(self, frame: Control) -> None:
        number = _number(frame.body)
        headers = self._headers.decode(frame.body[10:])
        if len(self._streams) >= MAX_STREAMS:
            await self.send(frames.reset(number, frames.REFUSED_STREAM))
            return
        stream = self._streams[number] = Stream(self, number, headers)
        await self.send(frames.control(frames.SYN_REPLY, struct.pack("!I", number) + self._headers.encode({})))
        if frame.flags & FIN:
            await stream.deliver(b"")
        self._opened(stream)


def _number(body: bytes) -> int:
    return int.from_bytes(body[:4], "big") & 0x7FFF_FFFF
