"""Who waits for one ClusterQueue: a heap of those worth a look, and those set aside until something changes.

Order: the workload whose victims are being evicted, then what its LocalQueue has used of late (where that decides:
``admission_fair_sharing``), then priority, age and uid. A whole shape of workloads is set aside
with the first of them that is hopeless (``equivalence``); ``flush`` brings all back.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime

from sidings.queue import equivalence
from sidings.queue.admission_fair_sharing import BurdenOf
from sidings.queue.requeueing import Requeue, goes_to_heap
from sidings.queue.snapshot import BEST_EFFORT_FIFO
from sidings.queue.workloads import Workload


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


@dataclass
class Waiting:
    """A workload in a queue."""

    workload: Workload
    shape: Hashable
    progress: Progress | None = None


class PendingQueue:
    """The waiting workloads of one ClusterQueue, by key ``namespace/name``."""

    def __init__(self, name: str, strategy: str, burden_of: BurdenOf | None = None) -> None:
        """``burden_of`` changes with time, so the first is looked for anew at every ``pop``."""
        self.name = name
        self._burden_of = burden_of
        self.strategy = strategy
        self.heap: dict[str, Waiting] = {}
        self.inadmissible: dict[str, Waiting] = {}
        self._order: list[tuple[int, datetime, str, str]] = []
        self._hopeless: set[Hashable] = set()
        self._sticky: str | None = None
        self._flushed = False
        """Whether something came free since the last ``pop``: the verdict on that head is out of date."""

    def push(self, workload: Workload) -> None:
        """Adds a new, changed or evicted workload."""
        self._enqueue(Waiting(workload, equivalence.shape(workload)))

    def refresh(self, workload: Workload) -> None:
        """The object of a workload that waits here changed in nothing that decides."""
        waiting = self.heap.get(workload.key) or self.inadmissible.get(workload.key)
        if waiting is not None:
            waiting.workload = workload

    def take_over(self, before: PendingQueue) -> None:
        """Go on where ``before`` was, the same queue until its surroundings changed: verdicts stand until a flush."""
        for key, old in before.heap.items():
            if key in self.heap:
                self.heap[key].progress = old.progress
        for key, old in before.inadmissible.items():
            if key in self.heap:
                self.inadmissible[key] = self.heap.pop(key)
                self.inadmissible[key].progress = old.progress
        self._hopeless |= before._hopeless
        self._sticky = before._sticky

    def discard(self, key: str) -> None:
        """Forgets a workload: deleted, finished or admitted."""
        self.heap.pop(key, None)
        self.inadmissible.pop(key, None)
        if self._sticky == key:
            self._sticky = None

    def pop(self) -> Waiting | None:
        """The head. It must come back by :meth:`requeue`, or leave by :meth:`discard`."""
        self._flushed = False
        if self._sticky in self.heap:
            return self.heap.pop(self._sticky)
        if self._burden_of is not None:
            return self._least_burdened(self._burden_of)
        while self._order:
            *_, key = heapq.heappop(self._order)
            if key in self.heap:
                return self.heap.pop(key)
        return None

    def _least_burdened(self, burden_of: BurdenOf) -> Waiting | None:
        self._order.clear()
        first = min(self.heap.values(), key=lambda it: (burden_of(it.workload), *_place(it.workload)), default=None)
        return None if first is None else self.heap.pop(first.workload.key)

    def requeue(self, head: Waiting, why: Requeue) -> None:
        """A head comes back. If it changed meanwhile, it was pushed as it is now, and that one stays."""
        flavors_left = head.progress is not None and head.progress.flavors_left
        key = head.workload.key
        if self.strategy == BEST_EFFORT_FIFO and why is Requeue.PENDING_PREEMPTION:
            self._sticky = key
        elif self._sticky == key:
            self._sticky = None
        if key in self.heap or key in self.inadmissible:
            return
        if self._flushed or goes_to_heap(self.strategy, why, flavors_left=flavors_left):
            self._to_heap(head)
            return
        self.inadmissible[key] = head
        if self.strategy == BEST_EFFORT_FIFO and why is Requeue.HOPELESS:
            self._hopeless.add(head.shape)
            for other in [w for w in self.heap.values() if w.shape == head.shape]:
                self.inadmissible[other.workload.key] = self.heap.pop(other.workload.key)

    def flush(self, allowed: Callable[[Workload], bool]) -> None:
        """Something changed in the tree: everybody who is ``allowed`` in the queue is worth a look again."""
        self._flushed = True
        self._hopeless.clear()
        for waiting in list(self.inadmissible.values()):
            if allowed(waiting.workload):
                self._to_heap(self.inadmissible.pop(waiting.workload.key))

    def _enqueue(self, waiting: Waiting) -> None:
        if waiting.shape in self._hopeless:
            self.inadmissible[waiting.workload.key] = waiting
        else:
            self._to_heap(waiting)

    def _to_heap(self, waiting: Waiting) -> None:
        workload = waiting.workload
        self.heap[workload.key] = waiting
        heapq.heappush(self._order, _place(workload))


def _place(workload: Workload) -> tuple[int, datetime, str, str]:
    return -workload.priority, workload.queued_at, workload.uid, workload.key
