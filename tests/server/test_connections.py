"""Who takes all connections, or takes for ever, is hung up on; all others are served as before."""

from __future__ import annotations

import asyncio
import random
import resource
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidings.api import catalog
from sidings.clock import SystemClock
from sidings.registry.registry import Registry
from sidings.server import connections, pki
from sidings.server.app import App
from sidings.server.auth import ADMIN, StaticTokens
from sidings.server.connections import Bounds
from sidings.server.limits import CONNECTIONS
from sidings.server.serve import ApiServer, bind
from sidings.store.store import Store
from tests.server.conftest import NoPods

MOST = 3
READY = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"


@dataclass
class Door:
    port: int
    context: ssl.SSLContext

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, ssl=self.context, server_hostname="localhost")


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[Door]:
    clock, rng = SystemClock(), random.Random(1)
    identity = pki.ensure(tmp_path / "pki", datetime.now(UTC))
    store = Store.in_memory()
    app = App(Registry(store, catalog.builtin(), clock, rng), NoPods(), StaticTokens({"t": ADMIN}), clock, rng)
    listener = bind("127.0.0.1", 0)
    bounds = Bounds(most=MOST, head_seconds=1.0)
    server = ApiServer(app, listener, identity.certificate_file, identity.key_file, bounds=bounds)
    running = asyncio.create_task(server.serve())
    yield Door(server.port, ssl.create_default_context(cadata=identity.authority.decode()))
    server.close()
    await running
    await store.close()


async def test_one_too_many_is_told_so_and_the_first_are_served(door: Door) -> None:
    first = [await door.open() for _ in range(MOST)]
    for reader, writer in first:
        writer.write(READY)
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
    refused, extra = await door.open()
    assert (await refused.read()).startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
    extra.close()
    for reader, writer in first:
        writer.write(READY)
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        writer.close()
        await writer.wait_closed()
    async with asyncio.timeout(60):
        while not await served(door):
            pass  # the server has not heard yet that they hung up


async def served(door: Door) -> bool:
    """Whether a new connection is served."""
    reader, writer = await door.open()
    writer.write(READY)
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return head.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("begun", [b"", b"GET /readyz HTTP/1.1\r\nHost: loc"])
async def test_a_head_that_does_not_come_is_not_waited_for(door: Door, begun: bytes) -> None:
    reader, writer = await door.open()
    writer.write(begun)
    assert (await reader.read()).startswith(b"HTTP/1.1 408 Request Timeout\r\n")
    writer.close()


async def test_between_two_requests_there_may_be_time(door: Door) -> None:
    reader, writer = await door.open()
    for pause in (1.2, 0):  # longer than a head may take, real time of a real socket
        writer.write(READY)
        assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 ")
        await asyncio.sleep(pause)
    writer.close()


@pytest.mark.soak
async def test_a_thousand_idle_connections_cost_the_others_nothing(door: Door) -> None:
    loop = asyncio.get_running_loop()
    reader, writer = await door.open()
    delays = []
    idle: list[asyncio.StreamWriter] = []
    for number in range(1000):
        if number % 10 == 0:
            idle.append((await door.open())[1])  # most are refused, all must be answered
        began = loop.time()
        writer.write(READY)
        await reader.readuntil(b"ok")
        delays.append(loop.time() - began)
    for each in (*idle, writer):
        each.close()
    assert sorted(delays)[990] < 0.1


def test_the_process_keeps_descriptors_for_itself() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert connections.of_this_process().most == min(CONNECTIONS, hard // 2)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
