"""What pods have consumed, each measured from the process below which all of it is (its shim)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sidings.node.telemetry import interfaces, processes


@dataclass(frozen=True)
class Consumption:
    """Counters since the pod's start, and memory now; None where it cannot be known."""

    cpu_seconds: float | None = None
    memory_bytes: int | None = None
    received_bytes: int | None = None
    sent_bytes: int | None = None


def measure(pids: Collection[int]) -> dict[int, Consumption]:
    """Of the pods with these shims; those that have ended are left out. Blocks for some milliseconds."""
    if not pids:
        return {}
    found = {}
    for pid, usage in processes.usage(processes.table(), pids).items():
        traffic = interfaces.traffic(pid)
        found[pid] = Consumption(
            usage.cpu_seconds,
            usage.memory_bytes,
            traffic.received_bytes if traffic else None,
            traffic.sent_bytes if traffic else None,
        )
    return found
