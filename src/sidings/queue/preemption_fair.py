"""Victims with fair sharing: from whoever has the largest share, while that makes shares more even.

The search goes from the root of the cohorts down to the ClusterQueue with the largest share that has candidates, takes
one, and looks again, since that changes shares. ``borrowWithinCohort`` means nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.queue import preemption, reasons
from sidings.queue.fair_sharing import Share, share
from sidings.queue.preemption import LESS_THAN_INITIAL_SHARE, Config, Preemptor, Victim
from sidings.queue.quota import Node
from sidings.queue.snapshot import ClusterQueue, Cohort, Snapshot
from sidings.queue.workloads import Workload, held


def victims(snapshot: Snapshot, preemptor: Preemptor, config: Config) -> list[Victim]:
    candidates = sorted(_candidates(preemptor), key=preemption.order(preemptor.queue))
    if not candidates:
        return []
    search = _Search(snapshot, preemptor)
    with snapshot.using(preemptor.queue, preemptor.usage):
        fits, retry = search.first_rule(candidates, config.strategies[0])
        if not fits and len(config.strategies) > 1:
            fits = search.second_rule(retry)
    if not fits:
        preemption.restore(snapshot, search.chosen)
        return []
    return preemption.fill_back(snapshot, preemptor, search.chosen, may_borrow=True)


def _candidates(preemptor: Preemptor) -> Iterator[Workload]:
    queue = preemptor.queue
    for other in queue.parent.root.all_queues() if queue.parent else [queue]:
        own = other is queue
        if not own and other.within_nominal(preemptor.contested):
            continue
        policy = queue.preemption.within_queue if own else queue.preemption.reclaim
        for workload in other.workloads.values():
            allowed = preemption.policy_allows(policy, preemptor.workload, workload)
            if allowed and preemption.uses(workload, preemptor.contested):
                yield workload


class _Search:
    """One search for victims. While it runs, the snapshot counts the preemptor's usage as its queue's."""

    def __init__(self, snapshot: Snapshot, preemptor: Preemptor) -> None:
        self._snapshot = snapshot
        self._preemptor = preemptor
        self.chosen: list[Victim] = []

    def first_rule(self, candidates: list[Workload], strategy: str) -> tuple[bool, list[Workload]]:
        """(whether the preemptor fits now, who was spared by the rule)."""
        targets = _Targets(self._snapshot, self._preemptor, candidates)
        spared: list[Workload] = []
        mine = self._preemptor.queue
        # Judged once: what own victims free later does not turn fair sharing into reclamation.
        reclaims = mine.within_nominal(self._preemptor.contested)
        while (target := targets.next()) is not None:
            if target is mine or reclaims:
                reason = reasons.IN_CLUSTER_QUEUE if target is mine else reasons.IN_COHORT_RECLAMATION
                if self._take(targets.pop(target), reason):
                    return True, []
                continue
            my_side, their_side = _sides(mine, target)
            my_share, their_share = share(my_side), share(their_side)
            while targets.has(target):
                workload = targets.pop(target)
                if self._evens_out(strategy, my_share, their_share, their_side, workload):
                    if self._take(workload, reasons.IN_COHORT_FAIR_SHARING):
                        return True, []
                    break
                spared.append(workload)
        return False, spared

    def second_rule(self, spared: list[Workload]) -> bool:
        """One more from each queue whose share is larger than the preemptor's would be."""
        targets = _Targets(self._snapshot, self._preemptor, spared)
        while (target := targets.next()) is not None:
            my_side, their_side = _sides(self._preemptor.queue, target)
            if share(my_side) < share(their_side) and self._take(targets.pop(target), reasons.IN_COHORT_FAIR_SHARING):
                return True
            targets.drop(target)
        return False

    def _evens_out(self, strategy: str, mine: Share, theirs: Share, their_side: Node, workload: Workload) -> bool:
        if strategy == LESS_THAN_INITIAL_SHARE:
            return mine < theirs
        with self._snapshot.without([workload]):
            return mine <= share(their_side)

    def _take(self, workload: Workload, reason: str) -> bool:
        """Makes ``workload`` a victim; whether the preemptor fits then."""
        self._snapshot.remove(workload)
        self.chosen.append(Victim(workload, reason))
        queue, usage = self._preemptor.queue, self._preemptor.usage
        for key, amount in usage.items():
            queue.remove(key, amount)
        fits = self._preemptor.fits(may_borrow=True)
        self._snapshot.use(queue, usage)
        return fits


class _Targets:
    """The queue to take the next victim from."""

    def __init__(self, snapshot: Snapshot, preemptor: Preemptor, candidates: list[Workload]) -> None:
        self._mine = preemptor.queue
        self._path = set(preemptor.queue.ancestors())
        self._order = preemption.order(preemptor.queue)
        self._pruned: set[Node] = set()
        self._waiting: dict[str, list[Workload]] = {}
        for workload in candidates:
            self._waiting.setdefault(held(workload).cluster_queue, []).append(workload)

    def has(self, queue: ClusterQueue) -> bool:
        return bool(self._waiting.get(queue.name))

    def pop(self, queue: ClusterQueue) -> Workload:
        return self._waiting[queue.name].pop(0)

    def drop(self, queue: ClusterQueue) -> None:
        self._waiting.pop(queue.name, None)

    def next(self) -> ClusterQueue | None:
        if self._mine.parent is None:
            return self._mine if self.has(self._mine) else None
        root = self._mine.parent.root
        while root not in self._pruned:
            target = self._largest(root)
            if target is not None:
                return target
        return None

    def _largest(self, cohort: Cohort) -> ClusterQueue | None:
        """The target under ``cohort``; None if something had to be pruned first."""
        queue, queue_share = self._largest_queue(cohort)
        child, child_share = self._largest_cohort(cohort)
        if child is not None and (queue_share is None or (child_share is not None and child_share >= queue_share)):
            return self._largest(child)
        if queue is None:
            self._pruned.add(cohort)
        return queue

    def _largest_queue(self, cohort: Cohort) -> tuple[ClusterQueue | None, Share | None]:
        best: ClusterQueue | None = None
        best_share: Share | None = None
        for queue in cohort.queues:
            if queue in self._pruned:
                continue
            own = share(queue)
            if not self.has(queue) or (not own.ratio and queue is not self._mine):
                self._pruned.add(queue)
                continue
            if best is None or best_share is None or own > best_share:
                best, best_share = queue, own
            elif own == best_share and self._first(queue, best):
                best = queue
        return best, best_share

    def _first(self, a: ClusterQueue, b: ClusterQueue) -> bool:
        return bool(self._order(self._waiting[a.name][0]) < self._order(self._waiting[b.name][0]))

    def _largest_cohort(self, cohort: Cohort) -> tuple[Cohort | None, Share | None]:
        best: Cohort | None = None
        best_share: Share | None = None
        for child in cohort.cohorts:
            if child in self._pruned:
                continue
            own = share(child)
            if not own.ratio and child not in self._path:
                self._pruned.add(child)
            elif best_share is None or own >= best_share:
                best, best_share = child, own
        return best, best_share


def _sides(mine: ClusterQueue, target: ClusterQueue) -> tuple[Node, Node]:
    """The two children of the lowest common cohort on the ways to ``mine`` and ``target``."""
    above_mine = set(mine.ancestors())
    their_side: Node = target
    while their_side.parent is not None and their_side.parent not in above_mine:
        their_side = their_side.parent
    my_side: Node = mine
    while my_side.parent is not their_side.parent:
        assert my_side.parent is not None
        my_side = my_side.parent
    return my_side, their_side
