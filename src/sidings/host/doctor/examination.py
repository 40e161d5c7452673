"""All checks, in the order in which a user would mend things."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from sidings.clock import Clock
from sidings.host.doctor import clock as clocks
from sidings.host.doctor import engines, gpus, limits, port, sandbox, state, surroundings
from sidings.host.doctor.finding import Finding
from sidings.host.engine import USUAL_PORT
from sidings.host.home import Home
from sidings.node.gpus.nvml import gpus_of_this_machine


async def examine(here: Home, environ: Mapping[str, str], clock: Clock) -> list[Finding]:
    """Look at this machine for an engine in ``here``; nothing is left changed, a running engine is not disturbed."""
    around = surroundings.look(environ)
    devices = gpus_of_this_machine()
    with tempfile.TemporaryDirectory(prefix="sidings-doctor-") as scratch:
        tier = await sandbox.examine(here.nodes, Path(scratch), around, clock)
        enforcement = limits.examine(Path(scratch), around)
    return [
        tier,
        enforcement,
        await engines.examine(environ, here.nodes),
        state.file_system(here),
        state.disk(here),
        port.examine(here, USUAL_PORT),
        gpus.examine(devices),
        gpus.judge_torch(gpus.torch_version(), devices),
        clocks.examine(clock.now()),
    ]
