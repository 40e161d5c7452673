"""TCP connections into a pod, with clients that speak SPDY and clients that speak channels, in memory."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator

import pytest

from sidings.api.objects import Object
from sidings.api.status import BadRequest
from sidings.server import port_forward
from sidings.server.queries import Query
from sidings.server.spdy import frames
from sidings.server.spdy.connection import MAX_STREAMS
from sidings.server.spdy.frames import FIN
from tests.server.sockets import Wire
from tests.server.spdy_client import Client

POD: Object = {"metadata": {"name": "p", "uid": "u"}, "spec": {}}


class Ports:
    """``api.pods.PodPorts``: port 80 answers each line with the same in capitals, until its client ends."""

    def __init__(self) -> None:
        self._serving: list[asyncio.Task[None]] = []

    async def connect(self, pod: Object, port: int) -> socket.socket:
        if port != 80:
            raise ConnectionRefusedError(111, "Connection refused")
        ours, its = socket.socketpair()
        ours.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=its)
        self._serving.append(asyncio.create_task(self._serve(reader, writer)))
        return ours

    async def close(self) -> None:
        """All connections were closed by the other side: they end."""
        async with asyncio.timeout(60):
            await asyncio.gather(*self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                writer.write(line.upper())
            writer.write(b"bye")
            writer.close()
            await writer.wait_closed()


@pytest.fixture
async def ports() -> AsyncIterator[Ports]:
    made = Ports()
    yield made
    await made.close()


@pytest.fixture
async def wire(ports: Ports) -> AsyncIterator[Wire]:
    made = Wire()
    serving = asyncio.create_task(port_forward.serve_spdy(ports, POD, made.socket))
    yield made
    made.leave()
    await serving


async def test_a_connection(wire: Wire) -> None:
    client = Client(wire)
    data, error = client.pair()
    wire.say(frames.data(data, b"hel"), frames.data(data, b"lo\n"), frames.data(data, b"", FIN))
    await client.ended(data, error)
    assert client.received(data)[0] == b"HELLO\nbye"
    assert client.received(error)[0] == b""


async def test_connections_one_beside_the_other(wire: Wire) -> None:
    client = Client(wire)
    pairs = [client.pair(request=str(number)) for number in range(20)]
    for number, (data, _) in enumerate(pairs):
        wire.say(frames.data(data, b"line %d\n" % number), frames.data(data, b"", FIN))
    await client.ended(*[stream for pair in pairs for stream in pair])
    assert [client.received(data)[0] for data, _ in pairs] == [b"LINE %d\nbye" % number for number in range(20)]


@pytest.mark.parametrize(("port", "why"), [("81", "connection refused"), ("nine", '"nine" is not a port')])
async def test_a_port_where_nobody_listens(wire: Wire, port: str, why: str) -> None:
    client = Client(wire)
    data, error = client.pair(port)
    await client.ended(data, error)
    assert client.received(error)[0].decode() == f"error forwarding port {port} to pod p, uid u: {why}"


async def test_a_stream_that_is_given_up(wire: Wire) -> None:
    client = Client(wire)
    data, error = client.pair()
    wire.say(frames.data(data, b"hello\n"), frames.reset(data, 5))
    await client.ended(error)


async def test_pings_are_answered(wire: Wire) -> None:
    ping = frames.control(frames.PING, b"\0\0\0\1")
    wire.say(ping)
    await wire.hears(ping)


async def test_too_many_streams_are_refused(wire: Wire) -> None:
    client = Client(wire)
    for number in range(MAX_STREAMS):
        client.open(streamtype="data", requestid=str(number))
    last = client.open(streamtype="data", requestid="last")
    await wire.hears(frames.reset(last, frames.REFUSED_STREAM))


async def test_what_is_not_spdy_ends_the_session(ports: Ports) -> None:
    wire = Wire()
    wire.say(b"GET / HTTP/1.1\r\n\r\n")
    async with asyncio.timeout(60):
        await port_forward.serve_spdy(ports, POD, wire.socket)
    assert wire.sent == []


async def test_channels(ports: Ports) -> None:
    wire = Wire()
    serving = asyncio.create_task(port_forward.serve_channels(ports, POD, ["80", "81"], wire.socket))
    await wire.hears(b"\x03error forwarding port 81")
    assert wire.heard[:4] == [b"\x00P\x00", b"\x01P\x00", b"\x02Q\x00", b"\x03Q\x00"]
    wire.say(b"\x00hello\n")
    await wire.hears(b"\x00HELLO\n")
    wire.leave()
    async with asyncio.timeout(60):
        await serving


def test_the_ports_of_a_query() -> None:
    assert port_forward.ports_of(Query(b"ports=80&ports=81,82")) == ["80", "81", "82"]
    for query in (b"", b"ports=", b"ports=0", b"ports=65536", b"ports=x"):
        with pytest.raises(BadRequest):
            port_forward.ports_of(Query(query))
