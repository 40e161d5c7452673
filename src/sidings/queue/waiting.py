"""A workload that waits in a queue, and the line of those that are the same to the scheduler.

``pending`` orders lines by the first of each and sets whole lines aside; ``equivalence`` says who is the same.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from sidings.queue.workloads import Workload

Place = tuple[int, datetime, str, str]
"""Less goes first."""


@dataclass(frozen=True)
class Progress:
    """Where the search over flavors stopped, in which cycle, and what had come free in the queue by then."""

    tried: dict[tuple[str, str], int]
    cycle: int
    freed: int

    @property
    def flavors_left(self) -> bool:
        return any(index != -1 for index in self.tried.values())

    def outdated(self, cycle: int, freed: int) -> bool:
        """Whether earlier flavors are worth another look."""
        return self.cycle < cycle - 1 and freed > self.freed


@dataclass(eq=False)
class Waiting:
    """A workload in a queue."""

    workload: Workload
    shape: Hashable
    progress: Progress | None = None

    @property
    def place(self) -> Place:
        workload = self.workload
        return -workload.priority, workload.queued_at, workload.uid, workload.key


class Line:
    """Workloads of one shape and one LocalQueue by key, and the first of them."""

    def __init__(self, shape: Hashable) -> None:
        self.shape = shape
        self.members: dict[str, Waiting] = {}
        self.untold: dict[str, Waiting] = {}
        """Those that nobody has looked at since they came."""
        self.set_aside = False
        self.ordered_as: Place | None = None
        """The place of this line in the order of its queue; other entries there are of the past."""
        self._places: list[tuple[Place, int, Waiting]] = []
        self._number = count()

    def add(self, waiting: Waiting) -> None:
        self.members[waiting.workload.key] = waiting
        heapq.heappush(self._places, (waiting.place, next(self._number), waiting))

    def first(self) -> Waiting | None:
        while self._places:
            waiting = self._places[0][2]
            if self.members.get(waiting.workload.key) is waiting:
                return waiting
            heapq.heappop(self._places)
        return None
