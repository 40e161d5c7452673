"""What an engine that was killed left behind: pods that go on without it, and the record of itself.

`up` adopts them again. `down` stops them: with the state locked, so that no engine starts meanwhile.
"""

from __future__ import annotations

import asyncio
import random

from sidings.api.objects import key_of
from sidings.api.resources import PODS
from sidings.clock import SystemClock
from sidings.host.errors import JobsRunning
from sidings.host.home import Home


def exist(home: Home) -> bool:
    """Whether an engine of ``home`` ended without `down`."""
    return home.record() is not None and home.running() is None


def clean(home: Home, *, force: bool) -> None:
    """Stop all that a killed engine left. Raises ``JobsRunning`` where that is pods, unless ``force``."""
    from sidings.host import daemon
    from sidings.host.engine import STOP_GRACE_SECONDS, Engine

    async def stop() -> None:
        options = daemon.remembered(home)
        async with Engine.open(home, options, SystemClock(), random.Random()) as engine:
            pods = (await engine.plane.client.list(PODS)).items
            running = [str(key_of(pod)) for pod in pods if pod["status"].get("phase") == "Running"]
            if running and not force:
                raise JobsRunning(
                    f"the engine was killed, and {len(running)} of its pods may still run",
                    cause=", ".join(running[:5]) + (" ..." if len(running) > 5 else ""),
                    remedy="sidings up   (adopts them again; or stop them: sidings down --force)",
                )
            await engine.agent.stop_all(STOP_GRACE_SECONDS)

    asyncio.run(stop())
    home.forget_record()
