"""Who waits for one ClusterQueue, of which only those are looked at closely that an answer names.

To read what a Workload asks for costs ten times what its place costs, and thousands may wait: places are compared on
the objects, and a view is made of those that somebody takes out. ``outlook`` asks who is ahead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import overload

from sidings.api.objects import Object, name_of, namespace_of, uid_of
from sidings.queue import workloads
from sidings.queue.snapshot import ClusterQueue
from sidings.queue.workloads import Workload

Place = tuple[float, int, datetime, str]
"""What its LocalQueue has used, then priority (the highest first), age and uid: the order of ``queue.pending``."""


class Line(Sequence[Workload]):
    """In the order of the entries: Workloads as objects, or as views where somebody has made one."""

    def __init__(self, entries: Iterable[Object | Workload] = ()) -> None:
        self._entries = list(entries)

    @classmethod
    def of(cls, some: Sequence[Workload]) -> Line:
        """``some`` itself where it is a line: a copy would look at every entry."""
        return some if isinstance(some, Line) else cls(some)

    def append(self, entry: Object | Workload) -> None:
        self._entries.append(entry)

    def ahead_of(self, workload: Workload, queue: ClusterQueue) -> Line:
        """Those that ``queue`` looks at before ``workload``, first come first; it may be one of the entries."""
        mine, own = _place(workload, queue), (workload.namespace, workload.name)
        places = ((_place(entry, queue), entry) for entry in self._entries if _key(entry) != own)
        return Line(entry for _, entry in sorted((it for it in places if it[0] < mine), key=lambda it: it[0]))

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


def _key(entry: Object | Workload) -> tuple[str, str]:
    if isinstance(entry, Workload):
        return entry.namespace, entry.name
    return namespace_of(entry), name_of(entry)


def _place(entry: Object | Workload, queue: ClusterQueue) -> Place:
    if isinstance(entry, Workload):
        return queue.burden_of(entry), -entry.priority, entry.queued_at, entry.uid
    if queue.usage_based:
        return _place(workloads.of_object(entry), queue)
    return 0.0, -(entry["spec"].get("priority") or 0), workloads.queue_time(entry), uid_of(entry)
