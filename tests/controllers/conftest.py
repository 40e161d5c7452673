"""A control plane in memory on virtual time, and what tests of several controllers do with it."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from sidings.clock import LoopClock
from sidings.host import bootstrap
from sidings.host.control_plane import ControlPlane
from sidings.store.store import Store


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    """All controllers running; use it under ``pytest.mark.looptime``."""
    store = Store.in_memory()
    made = ControlPlane(store, LoopClock(), random.Random(1), claims=Path("/claims"), ca="CA")
    await bootstrap.bootstrap(made.client)
    running = asyncio.create_task(made.run())
    yield made
    running.cancel()
    await asyncio.wait([running])
    await store.close()


@pytest.fixture
def until() -> Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]:
    """Let virtual time pass until something is so; at most ten virtual minutes."""

    async def wait(met: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(600):
            while not await met():
                await LoopClock().sleep(0.1)

    return wait
