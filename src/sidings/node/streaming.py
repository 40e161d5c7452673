"""Bytes between a client and a process in a pod: stdin in, output out, the size of the window."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import struct
import termios
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from sidings.api.pods import Session
from sidings.node import descriptors
from sidings.node.descriptors import Source
from sidings.node.pipes import Pipes


async def feed(session: Session, ends: Pipes) -> None:
    """The client's stdin into the process's, until either closes it."""
    with contextlib.suppress(BrokenPipeError):
        while data := await session.read():
            await descriptors.write(ends.ours["stdin"], data)
    ends.close_stdin()


async def type_in(session: Session, terminal: int) -> None:
    """The client's keys into the terminal, where end of file is a key too: the end of stdin itself says nothing."""
    with contextlib.suppress(OSError):  # EIO: closed
        while data := await session.read():
            await descriptors.write(terminal, data)


async def drain(source: Source, stream: str, session: Session) -> None:
    """Output to the client, until it ends."""
    while data := await source.read():
        await session.write(stream, data)


async def follow_size(session: Session, terminal: int) -> None:
    """Keep the terminal as large as the client's window; whoever runs in it gets SIGWINCH."""
    while True:
        columns, rows = await session.resized()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


@asynccontextmanager
async def running(*work: Coroutine[Any, Any, None]) -> AsyncIterator[list[asyncio.Task[None]]]:
    """``work`` as tasks, which end with the context."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
