"""Who waits for one ClusterQueue: those worth a look, and those set aside (*inadmissible*) until something changes.

Order: the workload whose victims are being evicted, then what its LocalQueue has used of late (where that decides:
``admission_fair_sharing``), then priority, age and uid. Workloads of one shape and one LocalQueue stand in a *line*:
a whole shape is set aside with the first of them that is hopeless (``equivalence``) and comes back with a ``flush``,
so neither costs more the longer the lines are.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator
from itertools import count

from sidings.queue import equivalence
from sidings.queue.admission_fair_sharing import BurdenOf
from sidings.queue.requeueing import Requeue, goes_to_heap
from sidings.queue.snapshot import BEST_EFFORT_FIFO, ClusterQueue
from sidings.queue.waiting import Line, Place, Waiting
from sidings.queue.workloads import Workload


class PendingQueue:
    """The waiting workloads of one ClusterQueue, by key ``namespace/name``."""

    def __init__(self, name: str, strategy: str, burden_of: BurdenOf | None = None) -> None:
        """``burden_of`` changes with time, so the first is looked for anew at every ``pop``."""
        self.name = name
        self._burden_of = burden_of
        self.strategy = strategy
        self.active = 0
        """How many are worth a look."""
        self._lines: dict[Hashable, Line] = {}
        self._of_shape: dict[Hashable, list[Line]] = {}
        self._line_of: dict[str, Line] = {}
        self._alone: dict[str, Waiting] = {}
        """Set aside for what is wrong with them alone."""
        self._order: list[tuple[Place, int, Line]] = []
        self._number = count()
        self._hopeless: set[Hashable] = set()
        """Shapes of which one was refused since the last flush."""
        self._aside: list[Line] = []
        self._sticky: str | None = None
        self._flushed = False
        """Whether something came free since the last ``pop``: the verdict on that head is out of date."""
        self._bypassed: list[Waiting] = []

    @classmethod
    def of(cls, queue: ClusterQueue) -> PendingQueue:
        """The empty one of ``queue``."""
        return cls(queue.name, queue.strategy, queue.burden_of if queue.usage_based else None)

    def push(self, workload: Workload) -> None:
        """Adds a new, changed or evicted workload."""
        waiting = Waiting(workload, equivalence.shape(workload))
        line = self._join(waiting)
        if line.set_aside:
            self._bypassed.append(waiting)
        else:
            line.untold[workload.key] = waiting

    def refresh(self, workload: Workload) -> None:
        """The object of a workload that waits here changed in nothing that decides."""
        line = self._line_of.get(workload.key)
        waiting = line.members[workload.key] if line is not None else self._alone.get(workload.key)
        if waiting is not None:
            waiting.workload = workload

    def take_over(self, before: PendingQueue) -> None:
        """Go on where ``before`` was, the same queue until its surroundings changed: verdicts stand until a flush."""
        for where, old in before._lines.items():
            line = self._lines.get(where)
            if line is None:
                continue
            for key, known in old.members.items():
                if key in line.members:
                    line.members[key].progress = known.progress
                    if key not in old.untold:
                        line.untold.pop(key, None)
            if old.set_aside:
                self._set_line_aside(line)
        for key in before._alone:
            if key in self._line_of:
                self._alone[key] = self._leave(key)
        self._hopeless |= before._hopeless
        self._sticky = before._sticky
        self._bypassed += before._bypassed

    def discard(self, key: str) -> None:
        """Forgets a workload: deleted, finished or admitted."""
        self._alone.pop(key, None)
        if key in self._line_of:
            self._leave(key)
        if self._sticky == key:
            self._sticky = None

    def pop(self) -> Waiting | None:
        """The head. It must come back by :meth:`requeue`, or leave by :meth:`discard`."""
        self._flushed = False
        if self._sticky is not None and self.is_active(self._sticky):
            return self._leave(self._sticky)
        first = self._first() if self._burden_of is None else self._least_burdened(self._burden_of)
        return None if first is None else self._leave(first.workload.key)

    def requeue(self, head: Waiting, why: Requeue) -> None:
        """A head comes back. If it changed meanwhile, it was pushed as it is now, and that one stays."""
        flavors_left = head.progress is not None and head.progress.flavors_left
        key = head.workload.key
        if self.strategy == BEST_EFFORT_FIFO and why is Requeue.PENDING_PREEMPTION:
            self._sticky = key
        elif self._sticky == key:
            self._sticky = None
        if key in self._line_of or key in self._alone:
            return
        if self._flushed or goes_to_heap(self.strategy, why, flavors_left=flavors_left):
            self._join(head)
        elif self.strategy == BEST_EFFORT_FIFO and why is Requeue.HOPELESS:
            self._join(head)
            self._set_aside(head.shape)
        else:
            self._alone[key] = head

    def flush(self, allowed: Callable[[Workload], bool]) -> None:
        """Something changed in the tree: everybody who is ``allowed`` in the queue is worth a look again.

        ``allowed`` looks at the namespace alone, so it speaks of a whole line.
        """
        self._flushed = True
        self._hopeless.clear()
        left: list[Line] = []
        for line in self._aside:
            first = line.first()
            if first is None:
                continue
            if allowed(first.workload):
                line.set_aside = False
                self.active += len(line.members)
                self._take_place(line)
            else:
                left.append(line)
        self._aside = left
        for waiting in list(self._alone.values()):
            if allowed(waiting.workload):
                self._join(self._alone.pop(waiting.workload.key))

    # Who is where.

    def is_active(self, key: str) -> bool:
        """Whether ``key`` is to be looked at."""
        line = self._line_of.get(key)
        return line is not None and not line.set_aside

    def is_set_aside(self, key: str) -> bool:
        line = self._line_of.get(key)
        return key in self._alone or (line is not None and line.set_aside)

    @property
    def set_aside(self) -> int:
        """How many wait until something changes."""
        return len(self._alone) + len(self._line_of) - self.active

    def __iter__(self) -> Iterator[Workload]:
        """Everybody who waits, in no order."""
        for key, line in self._line_of.items():
            yield line.members[key].workload
        yield from (waiting.workload for waiting in self._alone.values())

    def bypassed(self) -> list[Workload]:
        """Who was set aside since the last call without having been looked at, and still is."""
        told, self._bypassed = self._bypassed, []
        return [waiting.workload for waiting in told if self.is_set_aside(waiting.workload.key)]

    # Lines.

    def _join(self, waiting: Waiting) -> Line:
        workload = waiting.workload
        key = (workload.namespace, workload.local_queue, waiting.shape)
        line = self._lines.get(key)
        if line is None:
            line = self._lines[key] = Line(waiting.shape)
            if waiting.shape in self._hopeless:
                line.set_aside = True
                self._aside.append(line)
            self._of_shape.setdefault(waiting.shape, []).append(line)
        line.add(waiting)
        self._line_of[workload.key] = line
        if not line.set_aside:
            self.active += 1
            self._take_place(line)
        return line

    def _leave(self, key: str) -> Waiting:
        line = self._line_of.pop(key)
        waiting = line.members.pop(key)
        line.untold.pop(key, None)
        self.active -= not line.set_aside
        if not line.members:
            self._close(line, waiting)
        elif not line.set_aside:
            self._take_place(line)
        return waiting

    def _close(self, line: Line, last: Waiting) -> None:
        """Nobody stands in ``line`` any more."""
        line.ordered_as = None
        del self._lines[last.workload.namespace, last.workload.local_queue, line.shape]
        self._of_shape[line.shape].remove(line)
        if not self._of_shape[line.shape]:
            del self._of_shape[line.shape]

    def _set_aside(self, shape: Hashable) -> None:
        self._hopeless.add(shape)
        for line in self._of_shape[shape]:
            if not line.set_aside:
                self._set_line_aside(line)

    def _set_line_aside(self, line: Line) -> None:
        line.set_aside, line.ordered_as = True, None
        self._aside.append(line)
        self.active -= len(line.members)
        self._bypassed += line.untold.values()
        line.untold.clear()

    def _take_place(self, line: Line) -> None:
        """Enters ``line`` in the order as its first member stands now."""
        first = line.first()
        if first is not None and (place := first.place) != line.ordered_as:
            line.ordered_as = place
            heapq.heappush(self._order, (place, next(self._number), line))

    def _first(self) -> Waiting | None:
        while self._order:
            place, _, line = self._order[0]
            if line.ordered_as is place:
                return line.first()
            heapq.heappop(self._order)
        return None

    def _least_burdened(self, burden_of: BurdenOf) -> Waiting | None:
        self._order.clear()
        heads = [first for line in self._lines.values() if not line.set_aside and (first := line.first()) is not None]
        return min(heads, key=lambda head: (burden_of(head.workload), head.place), default=None)
