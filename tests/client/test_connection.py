import asyncio
from collections.abc import AsyncIterator

import pytest

from sidings.client.connection import Closed, Connection, connect
from sidings.client.errors import ServerUnreachable
from tests.client.conftest import ScriptedServer


@pytest.fixture
async def peer() -> AsyncIterator[tuple[ScriptedServer, Connection]]:
    server = ScriptedServer()
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    connection = await connect(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}", None)
    yield server, connection
    connection.close()
    listener.close()


Peer = tuple[ScriptedServer, Connection]
OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("answer", "body", "reusable"),
    [
        (OK + b"Content-Length: 2\r\n\r\nok", b"ok", True),
        (OK + b"Content-Length: 0\r\n\r\n", b"", True),
        (OK + b"content-length: 2\r\nConnection: close\r\n\r\nok", b"ok", False),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n1\r\no\r\n1;x=y\r\nk\r\n0\r\n\r\n", b"ok", True),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: t\r\n\r\n", b"ok", True),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b"", True),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"Content-Length: 2\r\n\r\nok", b"ok", True),
    ],
)
async def test_bodies(peer: Peer, answer: bytes, body: bytes, reusable: bool) -> None:
    server, connection = peer
    server.answers = [answer]
    response = await connection.send("GET", "/", {}, b"")
    assert await response.read() == body
    assert response.reusable is reusable


async def test_a_body_that_ends_with_the_connection(peer: Peer) -> None:
    server, connection = peer
    server.answers = [OK + b"\r\nuntil the end"]
    server.breaks_off = True
    response = await connection.send("GET", "/", {}, b"")
    assert await response.read() == b"until the end"
    assert not connection.usable


@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 9\r\n\r\nok",
        OK + b"Transfer-Encoding: chunked\r\n\r\n9\r\nok",
        OK + b"Transfer-Encoding: chunked\r\n\r\nzz\r\nok",
    ],
)
async def test_a_body_that_breaks_off(peer: Peer, answer: bytes) -> None:
    server, connection = peer
    server.answers = [answer]
    server.breaks_off = True
    response = await connection.send("GET", "/", {}, b"")
    with pytest.raises(ServerUnreachable, match="broke while it answered"):
        await response.read()
    assert not response.reusable


async def test_no_answer_at_all(peer: Peer) -> None:
    server, connection = peer
    server.answers = [None]
    with pytest.raises(Closed):
        await connection.send("GET", "/", {}, b"")


async def test_what_is_sent(peer: Peer) -> None:
    server, connection = peer
    server.answers = [OK + b"A: 1\r\na: 2\r\nContent-Length: 0\r\n\r\n"]
    response = await connection.send("POST", "/path?q=1", {"X": "y"}, b"body")
    assert response.headers["a"] == "1\n2"
    lines = server.heads[0].splitlines()
    assert lines[0] == "POST /path?q=1 HTTP/1.1"
    assert lines[1].startswith("Host: 127.0.0.1:")
    assert lines[2:4] == ["X: y", "Content-Length: 4"]
    assert server.bodies == [b"body"]
