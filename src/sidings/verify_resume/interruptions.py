"""How a run is interrupted: what is done to it, and at which step, drawn from a seed.

Every manner that is possible where the script runs comes once before one comes again. They are what happens to pods: a
suspension or preemption (SIGTERM to all), a rank that dies (out of memory), a node that dies, one that dies while its
newest checkpoint is not yet all in its place, and storage that fails for a while and a node that dies of it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

_LATEST = 0.95
"""Of the steps: an interruption after the last one would be none."""


class Manner(StrEnum):
    # of processes here
    TERMINATE = "SIGTERM"
    KILL_RANK = "SIGKILL of a rank"
    KILL_ALL = "SIGKILL of all"
    TEAR = "SIGKILL of all, newest checkpoint torn"
    STARVE = "S3 errors, SIGKILL of all"
    # of pods
    SUSPEND = "suspended"
    SUSPEND_AND_TEAR = "suspended, newest checkpoint torn"
    DELETE_POD = "pod deleted"
    KILL_POD = "pod deleted without grace"


@dataclass(frozen=True)
class Interruption:
    """Due as soon as ``step`` is done."""

    step: int
    manner: Manner


def drawn(count: int, steps: int, manners: Sequence[Manner], rng: random.Random) -> list[Interruption]:
    """``count`` interruptions of a run of ``steps`` steps, in their order."""
    latest = max(int(steps * _LATEST), 1)
    at = sorted(rng.randint(1, latest) for _ in range(count))
    chosen: list[Manner] = []
    while len(chosen) < count:
        chosen += rng.sample(manners, len(manners))
    return [Interruption(step, manner) for step, manner in zip(at, chosen[:count], strict=True)]
