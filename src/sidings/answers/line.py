"""Who waits for one ClusterQueue, of which only those are looked at closely that an answer names.

To read what a Workload asks for costs ten times what its place costs, and thousands may wait: places are compared on
the objects, and a view is made of those that somebody takes out. ``outlook`` asks who is ahead.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import overload

from sidings.api.objects import Object, uid_of
from sidings.queue import workloads
from sidings.queue.snapshot import ClusterQueue
from sidings.queue.workloads import Workload

Place = tuple[float, int, datetime, str]
"""What its LocalQueue has used, then priority (the highest first), age and uid: the order of ``queue.pending``."""


class Line(Sequence[Workload]):
    """In the order of the entries: Workloads as objects, or as views where somebody has made one."""

    def __init__(self, entries: Iterable[Object | Workload] = ()) -> None:
        self._entries = list(entries)
        self._order: list[tuple[Place, Object | Workload]] | None = None
        """Made for the first question: about many jobs of one queue the same is asked."""

    @classmethod
    def of(cls, some: Sequence[Workload]) -> Line:
        """``some`` itself where it is a line: a copy would look at every entry."""
        return some if isinstance(some, Line) else cls(some)

    def append(self, entry: Object | Workload) -> None:
        self._entries.append(entry)
        self._order = None

    def ahead_of(self, workload: Workload, queue: ClusterQueue) -> Line:
        """Those that ``queue``, whose line it is, looks at before ``workload``, first come first."""
        if self._order is None:
            self._order = sorted(((_place(entry, queue), entry) for entry in self._entries), key=_first)
        before = bisect_left(self._order, _place(workload, queue), key=_first)
        return Line(entry for _, entry in self._order[:before])

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Workload]:
        return (self[index] for index in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Workload: ...
    @overload
    def __getitem__(self, index: slice) -> list[Workload]: ...
    def __getitem__(self, index: int | slice) -> Workload | list[Workload]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        entry = self._entries[index]
        if not isinstance(entry, Workload):
            entry = self._entries[index] = workloads.of_object(entry)
        return entry


def _first(placed: tuple[Place, Object | Workload]) -> Place:
    return placed[0]


def _place(entry: Object | Workload, queue: ClusterQueue) -> Place:
    if isinstance(entry, Workload):
        return queue.burden_of(entry), -entry.priority, entry.queued_at, entry.uid
    if queue.usage_based:
        return _place(workloads.of_object(entry), queue)
    return 0.0, -(entry["spec"].get("priority") or 0), workloads.queue_time(entry), uid_of(entry)
