"""Which rank holds its peers up. Pure, over the ranks of ``GET /telemetry/v1/jobs``.

In synchronous training all ranks advance together, so throughput says nothing. What tells them apart is how they wait:

* On GPUs a rank that waits for its peers is busy: NCCL's kernel spins, and its utilization reads 100 %. The rank that
  holds them up, by slow input or by its CPU, is the one whose GPU idles meanwhile.
* A GPU that is slow itself (hot, or its power capped) is as busy as the others, at a lower clock.
* Without GPUs gloo waits asleep: the rank that works while its peers sleep is the slow one.

Means of half a minute are compared with the median of the peers; thresholds leave the usual noise alone.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from typing import Any

Rank = dict[str, Any]

IDLE_POINTS = 15.0
"""How many points of utilization below its peers."""
SLOW_CLOCK = 0.9
"""Of the peers' clock."""
BUSY_FACTOR, BUSY_CORES = 1.5, 0.3
"""Of the peers' CPU use, and at least so many cores more."""


def stragglers(ranks: Sequence[Rank]) -> dict[str, str]:
    """Pod -> why, of the running ranks of one job that their peers wait for. A rank's peers are of its own part."""
    found: dict[str, str] = {}
    running = [rank for rank in ranks if rank["running"]]
    for part in {rank["part"] for rank in running}:
        found |= _among([rank for rank in running if rank["part"] == part])
    return found


def _among(ranks: Sequence[Rank]) -> dict[str, str]:
    found: dict[str, str] = {}
    if len(ranks) < 2:
        return found
    for rank, own, peers in _compared(ranks, lambda rank: _of_gpus(rank, "utilization_percent")):
        if own <= peers - IDLE_POINTS:
            found[rank["pod"]] = f"its GPU is {own:.0f}% busy, its peers' {peers:.0f}%"
    for rank, own, peers in _compared(ranks, lambda rank: _of_gpus(rank, "sm_clock_mhz")):
        if own <= peers * SLOW_CLOCK:
            found.setdefault(rank["pod"], f"its GPU runs at {own:.0f} MHz, its peers' at {peers:.0f}")
    if not any(rank["gpus"] for rank in ranks):
        for rank, own, peers in _compared(ranks, lambda rank: _recent(rank["figures"], "cpu")):
            if own >= peers * BUSY_FACTOR and own - peers >= BUSY_CORES:
                found[rank["pod"]] = f"it uses {own:.1f} CPUs while its peers wait with {peers:.1f}"
    return found


def _compared(ranks: Sequence[Rank], figure: Callable[[Rank], float | None]) -> list[tuple[Rank, float, float]]:
    """(rank, its figure, the median of its peers'); nothing where a rank's figure is unknown."""
    figures = [figure(rank) for rank in ranks]
    known = [value for value in figures if value is not None]
    if len(known) < len(ranks):
        return []
    return [
        (rank, own, statistics.median(known[:place] + known[place + 1 :]))
        for place, (rank, own) in enumerate(zip(ranks, known, strict=True))
    ]


def _of_gpus(rank: Rank, name: str) -> float | None:
    """The mean over the rank's GPUs; None where one of them does not tell."""
    values = [_recent(gpu["figures"], name) for gpu in rank["gpus"]]
    known = [value for value in values if value is not None]
    return statistics.mean(known) if known and len(known) == len(values) else None


def _recent(figures: dict[str, dict[str, float]], name: str) -> float | None:
    return figures.get(name, {}).get("recent")
