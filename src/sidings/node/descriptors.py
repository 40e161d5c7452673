"""Reading and writing pipes and terminals without blocking the event loop.

asyncio's own pipe transports read ahead and write behind; a session of ``kubectl exec`` wants neither: what its client
cannot take yet must stay in the pipe, where it holds up the process that wrote it.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import struct
import termios

CHUNK_BYTES = 32 * 1024


async def readable(descriptor: int) -> None:
    """Return once ``descriptor`` has something to read, or its end."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[None] = loop.create_future()
    loop.add_reader(descriptor, _resolve, ready)
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)


async def write(descriptor: int, data: bytes) -> None:
    """Write all of ``data`` to a descriptor that does not block.

    Raises ``OSError`` where nobody reads it any more: ``BrokenPipeError`` for a pipe, EIO for a terminal.
    """
    loop = asyncio.get_running_loop()
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            ready: asyncio.Future[None] = loop.create_future()
            loop.add_writer(descriptor, _resolve, ready)
            try:
                await ready
            finally:
                loop.remove_writer(descriptor)


class Source:
    """What processes write to a pipe or terminal."""

    def __init__(self, descriptor: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._waiting: asyncio.Task[None] | None = None
        self._left: int | None = None

    async def read(self) -> bytes:
        """The next bytes; ``b""`` at the end, or when the terminal is closed."""
        if self._left is None:
            await self._wait()
        if self._left is None:
            try:
                return os.read(self._descriptor, CHUNK_BYTES)
            except OSError:  # EIO: the last process that had the terminal is gone
                return b""
        data = os.read(self._descriptor, min(self._left, CHUNK_BYTES)) if self._left else b""
        self._left -= len(data)
        return data

    def finish(self) -> None:
        """Let ``read`` return what is there now and then the end, whoever else may still be able to write."""
        [self._left] = struct.unpack("i", fcntl.ioctl(self._descriptor, termios.FIONREAD, bytes(4)))
        if self._waiting is not None:
            self._waiting.cancel()

    async def _wait(self) -> None:
        self._waiting = asyncio.create_task(readable(self._descriptor))
        try:
            await asyncio.wait([self._waiting])
        finally:
            self._waiting.cancel()


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
