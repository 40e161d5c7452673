"""Places to ask: servers and commands of the test's own process instead of a pod's."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from sidings.node.health.place import Place

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class ThisProcess:
    """``Reach`` into the machine that the test runs on."""

    async def new_socket(self) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        made.setblocking(False)
        return made

    def placed(self, host: str, port: int) -> tuple[str, int]:
        return host, port

    async def execute(self, container: str, argv: Sequence[str]) -> tuple[int, bytes]:
        process = await asyncio.create_subprocess_exec(
            *argv, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            output, _ = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode is not None
        return process.returncode, output


def place(**ports: int) -> Place:
    return Place(ThisProcess(), "c", "127.0.0.1", ports)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[int]:
    """The port of a server that gives each connection to ``handler`` and closes it afterwards."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await handler(reader, writer)
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def closed_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])
