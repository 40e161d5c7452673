"""What an engine that was killed left behind: pods that go on without it, and the record of itself.

`up` adopts them again, `down` stops them. It needs no engine for that, but takes the lock of the state, so that none
starts meanwhile.
"""

from __future__ import annotations

import asyncio
import os

from sidings.clock import SystemClock
from sidings.host import daemon
from sidings.host.errors import JobsRunning
from sidings.host.home import Home
from sidings.host.options import FORCED_GRACE_SECONDS, STOP_GRACE_SECONDS
from sidings.node import shutdown
from sidings.node.container_engine import discovery
from sidings.node.container_engine import leftovers as containers
from sidings.node.logical_node import SANDBOX
from sidings.node.sandbox import client as sandbox_client
from sidings.node.sandbox.client import SandboxClient
from sidings.store import place


def exist(home: Home) -> bool:
    """Whether an engine of ``home`` ended without `down`."""
    return home.record() is not None and home.running() is None


def living_pods(home: Home) -> int:
    """How many pods still run."""
    statuses = (sandbox_client.read_status(path.parent) for path in home.nodes.glob("pods/*/status.json"))
    return sum(status is not None and sandbox_client.is_alive(status) for status in statuses)


def clean(home: Home, *, force: bool) -> None:
    """Stop all that a killed engine left. Raises ``JobsRunning`` where that is pods, unless ``force``."""
    if (count := living_pods(home)) and not force:
        raise JobsRunning(
            f"the engine was killed, and {count} of its pods still run",
            cause="stopping them now is a failure for their jobs",
            remedy="sidings up   (adopts them again; or stop them: sidings down --force)",
        )
    lock = place.lock(home.lock)
    try:
        asyncio.run(_stop(home, FORCED_GRACE_SECONDS if force else STOP_GRACE_SECONDS))
        home.forget_record()
    finally:
        os.close(lock)


async def _stop(home: Home, grace_seconds: float) -> None:
    await shutdown.stop_sandboxes(SandboxClient(home.nodes), SystemClock(), grace_seconds)
    runtime = daemon.remembered(home).runtime
    engine = None if runtime == SANDBOX else discovery.installed(runtime, os.environ, home.nodes)
    if engine is not None:
        await containers.remove(engine)
