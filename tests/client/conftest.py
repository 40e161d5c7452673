"""A server that says exactly what a test wants, byte for byte, on a real socket."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sidings.client.http import HttpClient
from sidings.client.kubeconfig import ClientConfig


class ScriptedServer:
    """Answers requests with ``answers`` in turn; None closes the connection instead. Remembers what was asked."""

    def __init__(self) -> None:
        self.answers: list[bytes | None] = []
        self.by_path: dict[str, bytes] = {}
        """Where a path is here, this is its answer, in whatever order it is asked for."""
        self.heads: list[str] = []
        self.bodies: list[bytes] = []
        self.connections = 0
        self.breaks_off = False
        """Whether it closes the connection after an answer."""
        self.hung_up = asyncio.Event()
        """Set when a client closes its connection."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = next((int(x.split(":")[1]) for x in head.splitlines() if x.startswith("Content-Length")), 0)
                self.bodies.append(await reader.readexactly(length))
                self.heads.append(head)
                path = head.split(" ", 2)[1]
                answer = self.by_path[path] if path in self.by_path else self.answers.pop(0)
                if answer is None:
                    return
                writer.write(answer)
                await writer.drain()
                if self.breaks_off:
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            self.hung_up.set()
        finally:
            writer.close()

    @property
    def last_line(self) -> str:
        return self.heads[-1].splitlines()[0]


@pytest.fixture
async def scripted() -> AsyncIterator[tuple[ScriptedServer, HttpClient]]:
    server = ScriptedServer()
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with HttpClient(ClientConfig(f"http://127.0.0.1:{port}/base")) as client:
        yield server, client
    listener.close()


Scripted = tuple[ScriptedServer, HttpClient]
Call = Callable[[HttpClient], Awaitable[object]]
