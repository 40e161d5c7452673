"""A control plane in memory with all controllers running, for tests on virtual time."""

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

from sidings.clock import LoopClock
from sidings.host import bootstrap
from sidings.host.control_plane import ControlPlane
from sidings.store.store import Store


async def running() -> AsyncIterator[ControlPlane]:
    """One that is stopped again after use; the body of a fixture."""
    store = Store.in_memory()
    made = ControlPlane(store, LoopClock(), random.Random(1), claims=Path("/claims"), ca="CA")
    await bootstrap.bootstrap(made.client)
    controllers = asyncio.create_task(made.run())
    yield made
    controllers.cancel()
    await asyncio.wait([controllers])
    await store.close()
