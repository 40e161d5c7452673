"""In which order the heads of a cycle are decided: who comes first gets what is free.

Without fair sharing: less borrowing first, then priority, then age. With it, a tournament in every tree of cohorts:
each cohort sends up the best of its children, measured by the shares they would have with that workload admitted, and
after every winner the shares are computed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from sidings.queue.amounts import Usage
from sidings.queue.fair_sharing import Share, share
from sidings.queue.quota import Node
from sidings.queue.snapshot import ClusterQueue, Cohort, Snapshot
from sidings.queue.workloads import Workload


class Contender(Protocol):
    """A head as the order sees it; ``usage`` and ``borrowing`` are those of its assignment."""

    @property
    def workload(self) -> Workload: ...
    @property
    def queue(self) -> ClusterQueue: ...
    @property
    def usage(self) -> Usage: ...
    @property
    def borrowing(self) -> int: ...


C = TypeVar("C", bound=Contender)
Rank = tuple[bool, Share, int, datetime]


def classical(contenders: Sequence[C]) -> list[C]:
    return sorted(contenders, key=lambda c: (c.borrowing, -c.workload.priority, c.workload.queued_at))


def fair(snapshot: Snapshot, contenders: Sequence[C]) -> Iterator[C]:
    """Winners one by one; what the cycle does with a winner counts for the next."""
    waiting = {contender.queue: contender for contender in contenders}
    while waiting:
        queue = next(iter(waiting))
        if queue.parent is not None:
            queue = _Tournament(snapshot, list(waiting.values())).winner(queue.parent.root).queue
        yield waiting.pop(queue)


@dataclass(frozen=True)
class _Tournament:
    snapshot: Snapshot
    contenders: Sequence[Contender]

    def winner(self, root: Cohort) -> Contender:
        ranks = {
            (cohort, contender.queue): rank
            for contender in self.contenders
            if root in contender.queue.ancestors()
            for cohort, rank in self._ranks(contender)
        }
        waiting = {contender.queue: contender for contender in self.contenders}

        def best(cohort: Cohort) -> Contender | None:
            rivals = [waiting[queue] for queue in cohort.queues if queue in waiting]
            rivals += [winner for child in cohort.cohorts if (winner := best(child)) is not None]
            return min(rivals, key=lambda rival: ranks[cohort, rival.queue], default=None)

        found = best(root)
        assert found is not None, "asked for a tree without contenders"
        return found

    def _ranks(self, contender: Contender) -> Iterator[tuple[Cohort, Rank]]:
        """How the contender compares at each cohort above it, once admitted."""
        workload, node = contender.workload, contender.queue
        result: list[tuple[Cohort, Rank]] = []
        with self.snapshot.using(contender.queue, contender.usage):
            side: Node = node
            for cohort in contender.queue.ancestors():
                rank = (
                    not side.within_nominal(contender.usage),
                    share(side),
                    -workload.priority,
                    workload.queued_at,
                )
                result.append((cohort, rank))
                side = cohort
        yield from result
