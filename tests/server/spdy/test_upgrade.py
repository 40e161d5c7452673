"""Connections to a running server that become SPDY, as kubectl 1.29 makes them."""

from __future__ import annotations

import asyncio
import ssl
import struct

from sidings.api.resources import PODS
from sidings.server.spdy import frames
from tests.server.conftest import Served

POD = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": [{"name": "main", "image": "i"}]}}


async def _upgrade(served: Served, path: str, version: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
    """Reader, writer and the head of the answer."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    reader, writer = await asyncio.open_connection("127.0.0.1", served.server.port, ssl=trusting)
    head = (
        f"POST /api/v1/namespaces/default/pods/{path} HTTP/1.1",
        f"Host: 127.0.0.1:{served.server.port}",
        f"Authorization: Bearer {served.token}",
        "Connection: Upgrade",
        "Upgrade: SPDY/3.1",
        f"X-Stream-Protocol-Version: {version}",
        "Content-Length: 0",
    )
    writer.write("\r\n".join([*head, "", ""]).encode())
    async with asyncio.timeout(60):
        return reader, writer, await reader.readuntil(b"\r\n\r\n")


async def test_a_connection_that_becomes_spdy(served: Served) -> None:
    kind = served.registry.catalog.by_plural(*PODS[:3])
    assert kind is not None
    await served.registry.create(kind, POD, "default")
    reader, writer, head = await _upgrade(served, "p/portforward", "portforward.k8s.io")
    assert head.startswith(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: SPDY/3.1\r\n")
    assert b"X-Stream-Protocol-Version: portforward.k8s.io\r\n" in head
    async with asyncio.timeout(60):
        for number in (1, 3):
            ping = frames.control(frames.PING, struct.pack("!I", number))
            writer.write(ping)
            assert await reader.readexactly(len(ping)) == ping
        served.server.close()
        assert await reader.read() == b""
    writer.close()
    await writer.wait_closed()


async def test_a_connection_that_is_refused(served: Served) -> None:
    reader, writer, head = await _upgrade(served, "nobody/exec?command=a&stdout=1", "v4.channel.k8s.io")
    assert head.startswith(b"HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n")
    async with asyncio.timeout(60):
        assert b'pods \\"nobody\\" not found' in await reader.read()
    writer.close()
    await writer.wait_closed()
