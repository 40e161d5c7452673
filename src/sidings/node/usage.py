"""What the containers of some pods use right now: two looks at /proc, a moment apart, when somebody asks.

``telemetry`` keeps the history of whole pods; ``kubectl top`` wants containers, seldom, and pays for it itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from sidings.api.pods import USAGE_WINDOW_SECONDS, Usage
from sidings.clock import Clock
from sidings.node.telemetry import processes

Roots = Mapping[str, Mapping[str, int]]
"""Pod uid -> container -> pid of its init, below which all of it is."""


async def measure(roots: Roots, clock: Clock) -> dict[str, dict[str, Usage]]:
    """By pod uid and container; containers that end meanwhile are left out."""
    pids = [pid for containers in roots.values() for pid in containers.values()]
    if not pids:
        return {}
    before = await asyncio.to_thread(_look, pids)
    begun = clock.monotonic()
    await clock.sleep(USAGE_WINDOW_SECONDS)
    after = await asyncio.to_thread(_look, pids)
    seconds = clock.monotonic() - begun
    found: dict[str, dict[str, Usage]] = {}
    for uid, containers in roots.items():
        for name, pid in containers.items():
            if pid in before and pid in after:
                cores = max(after[pid].cpu_seconds - before[pid].cpu_seconds, 0) / seconds
                found.setdefault(uid, {})[name] = Usage(cores, after[pid].memory_bytes)
    return found


def _look(pids: list[int]) -> dict[int, processes.Usage]:
    return processes.usage(processes.table(), pids)
