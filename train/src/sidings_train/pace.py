"""Which rank the others wait for, when all do the same steps in the same time.

Ranks in lock step take equally long for a step: the slow one, and those that wait for it where gradients are exchanged.
What tells them apart is how much of the step lies outside of the exchange: data, forward, optimizer, whatever the
script does in between. ``Pace`` measures that on each rank, ``watch`` tells it to all, and ``Stragglers`` judges.

It is the host's clock: a GPU that is slower than others is not seen where the host runs ahead of it, and a step that is
one CUDA graph has no inside.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

SLOWER = 1.3  # times the others' own work in a step
WORTH = 0.1  # of a step: what all would gain if that rank were as fast as the others
IN_A_ROW = 3  # looks: a checkpoint or an evaluation makes one rank late once


@dataclass(frozen=True)
class Share:
    """Seconds of a step, on average since the last look: a rank's ``own`` and those of the exchange, ``waiting``."""

    own: float
    waiting: float


class Pace:
    """Counts on the thread that trains, and is read on another: sums only ever grow, by one thread."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._began: float | None = None
        self._ended: float | None = None
        self._own = self._waiting = 0.0
        self._steps = 0
        self._read = (0.0, 0.0, 0)

    def begins(self) -> None:
        """An exchange with all other ranks begins here."""
        if self._began is None:
            self._began = self._clock()

    def ends(self) -> None:
        """It is over."""
        if self._began is None:
            return
        now = self._clock()
        if self._ended is not None:  # before the first one there is start-up, not work
            self._own += self._began - self._ended
            self._waiting += now - self._began
            self._steps += 1
        self._began, self._ended = None, now

    @contextmanager
    def exchanging(self) -> Iterator[None]:
        """The block is the exchange of one step."""
        self.begins()
        yield
        self.ends()

    def take(self) -> Share | None:
        """Since it was taken last; None where no exchange has ended since."""
        before, self._read = self._read, (self._own, self._waiting, self._steps)
        own, waiting, steps = (now - then for now, then in zip(self._read, before, strict=True))
        return Share(own / steps, waiting / steps) if steps else None


def slow(shares: Mapping[int, Share]) -> dict[int, float]:
    """Ranks that the others wait for, with the own seconds a step that the others have."""
    found = {}
    for rank, share in shares.items():
        others = statistics.median(other.own for number, other in shares.items() if number != rank)
        if share.own > SLOWER * others and share.own - others > WORTH * (share.own + share.waiting):
            found[rank] = others
    return found


class Stragglers:
    """Says of each rank, once, that it is slow: when it was at several looks in a row. ``names`` are hosts, by rank."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._in_a_row = [0] * len(names)
        self._said: set[int] = set()

    def look(self, shares: Mapping[int, Share]) -> list[str]:
        """A sentence of each rank that has been slow for long enough now; ``shares`` are of all ranks."""
        others = slow(shares)
        for rank in shares:
            self._in_a_row[rank] = self._in_a_row[rank] + 1 if rank in others else 0
        new = [rank for rank in others if self._in_a_row[rank] >= IN_A_ROW and rank not in self._said]
        self._said.update(new)
        return [
            f"rank {rank} ({self._names[rank]}) is slow: {_time(shares[rank].own)} of its own work a step, the others "
            f"{_time(others[rank])}, and all wait for it: look at its data, its CPU limit and what else its node runs"
            for rank in new
        ]


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if round(seconds, 3) < 1 else f"{seconds:.1f} s"
