"""How a run is interrupted: what is done to it, and at which step, drawn from a seed.

Every manner comes once before one comes again. They are what happens to pods: a suspension or preemption (SIGTERM to
torchrun), a rank that dies (out of memory), a node that dies, and one that dies while its newest checkpoint is not yet
all on the disk.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum

_LATEST = 0.95
"""Of the steps: an interruption after the last one would be none."""


class Manner(StrEnum):
    TERMINATE = "SIGTERM"
    KILL_RANK = "SIGKILL of a rank"
    KILL_ALL = "SIGKILL of all"
    TEAR = "SIGKILL of all, newest checkpoint torn"


@dataclass(frozen=True)
class Interruption:
    """Due as soon as ``step`` is done."""

    step: int
    manner: Manner


def drawn(count: int, steps: int, rng: random.Random) -> list[Interruption]:
    """``count`` interruptions of a run of ``steps`` steps, in their order."""
    latest = max(int(steps * _LATEST), 1)
    at = sorted(rng.randint(1, latest) for _ in range(count))
    manners: list[Manner] = []
    while len(manners) < count:
        manners += rng.sample(list(Manner), len(Manner))
    return [Interruption(step, manner) for step, manner in zip(at, manners[:count], strict=True)]
