"""A control plane in memory on virtual time, and what tests of several controllers do with it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sidings.clock import LoopClock
from sidings.host.control_plane import ControlPlane
from tests import control_planes


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    """All controllers running; use it under ``pytest.mark.looptime``."""
    async for made in control_planes.running():
        yield made


@pytest.fixture
def until() -> Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]:
    """Let virtual time pass until something is so; at most ten virtual minutes."""

    async def wait(met: Callable[[], Awaitable[bool]]) -> None:
        async with asyncio.timeout(600):
            while not await met():
                await LoopClock().sleep(0.1)

    return wait
