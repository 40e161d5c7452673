"""How many Workloads each queue has and what they hold, kept with every change.

Statuses of queues are written several times a second while jobs come and go; counting all Workloads for each of them
would cost more per Workload the more there are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from sidings.api.objects import Key
from sidings.queue import amounts
from sidings.queue.amounts import Usage


@dataclass
class Tally:
    """Workloads of one queue. ``reserved`` is what they hold, ``used`` the part of those that are admitted."""

    pending: int = 0
    reserving: int = 0
    admitted: int = 0
    reserved: Usage = field(default_factory=dict)
    used: Usage = field(default_factory=dict)

    def count(self, entry: Entry, sign: int) -> None:
        """Add ``entry``, or take it away with ``sign`` -1."""
        if entry.usage is None:
            self.pending += sign
            return
        usage = {key: sign * amount for key, amount in entry.usage.items()}
        self.reserving += sign
        amounts.add(self.reserved, usage)
        if entry.admitted:
            self.admitted += sign
            amounts.add(self.used, usage)


class Entry(NamedTuple):
    """One Workload: who holds ``usage``, or waits where that is None. ``cluster_queue`` is empty for one in none."""

    local_queue: Key
    cluster_queue: str
    usage: Usage | None = None
    admitted: bool = False


class Tallies:
    """By queue; a queue that is not known has none."""

    def __init__(self) -> None:
        self._entries: dict[Key, Entry] = {}
        self._of_cluster_queue: dict[str, Tally] = {}
        self._of_local_queue: dict[Key, Tally] = {}

    def put(self, workload: Key, entry: Entry | None) -> None:
        """What counts for ``workload`` from now on."""
        before = self._entries.pop(workload, None)
        if before is not None:
            self._count(before, -1)
        if entry is not None:
            self._entries[workload] = entry
            self._count(entry, 1)

    def of_cluster_queue(self, name: str) -> Tally:
        return self._of_cluster_queue.get(name) or Tally()

    def of_local_queue(self, key: Key) -> Tally:
        return self._of_local_queue.get(key) or Tally()

    def _count(self, entry: Entry, sign: int) -> None:
        self._of_local_queue.setdefault(entry.local_queue, Tally()).count(entry, sign)
        if entry.cluster_queue:
            self._of_cluster_queue.setdefault(entry.cluster_queue, Tally()).count(entry, sign)
