from __future__ import annotations

import asyncio

from sidings.node.health import tcp_socket
from tests.node.health.places import closed_port, place, serving


async def test_who_accepts_is_well() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with serving(silent) as port:
        assert (await tcp_socket.check({"port": port}, place(), 5)).well


async def test_nobody_there() -> None:
    port = closed_port()
    answer = await tcp_socket.check({"port": port}, place(), 5)
    assert answer == (False, f"dial tcp 127.0.0.1:{port}: connect: connection refused", False)
