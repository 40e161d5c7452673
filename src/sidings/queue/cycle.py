"""One pass of the scheduler: at most one workload of each ClusterQueue, decided against one snapshot.

1. Nominate: flavors for every head, and victims where quota must come free first.
2. Order the nominated (``ordering``).
3. Decide one after the other. What an earlier one takes, or frees by preemption, counts for those after it.

The snapshot is given back as it came; whoever calls carries the decisions out. The scheduler, the check before a
submission, the explanation of a wait and the simulator are all callers of :func:`run`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from sidings.queue import ordering, partial_admission, preemption, reasons, resource_limits
from sidings.queue.amounts import FlavorResource, Usage
from sidings.queue.assignment import Assignment, Mode
from sidings.queue.flavor_assignment import FlavorAssigner, Pinned, set_placements
from sidings.queue.preemption import Config, Preemptor, Victim
from sidings.queue.requeueing import Requeue
from sidings.queue.snapshot import ClusterQueue, Snapshot
from sidings.queue.topology import assigning
from sidings.queue.waiting import Progress, Waiting
from sidings.queue.workloads import Admission, Workload, held


@dataclass(frozen=True)
class Head:
    """The first of a queue, as ``pending`` gives it."""

    waiting: Waiting
    cluster_queue: str


class Outcome(Enum):
    ADMIT = "quota is reserved"
    PREEMPT = "others are evicted for it"
    WAIT = "it stays pending"


@dataclass(frozen=True)
class Eviction:
    """A victim that is not yet on its way out. ``message`` is that of its conditions Evicted and Preempted."""

    workload: Workload
    reason: str
    message: str


@dataclass(frozen=True)
class Decision:
    """What becomes of one head. ``reason`` and ``message`` are those of QuotaReserved=False while it waits."""

    head: Head
    outcome: Outcome
    admission: Admission | None = None
    considered: str = ""
    reason: str = ""
    message: str = ""
    requeue: Requeue = Requeue.HOPELESS
    progress: Progress | None = None
    evictions: Sequence[Eviction] = ()


@dataclass
class _Nominee:
    """A head with what flavor assignment and preemption found for it."""

    head: Head
    queue: ClusterQueue
    assignment: Assignment
    victims: list[Victim]
    fits_after_others: bool = False
    """It fits once the victims of earlier ones are gone, and only then."""

    @property
    def workload(self) -> Workload:
        return self.head.waiting.workload

    @property
    def usage(self) -> Usage:
        return self.assignment.usage

    @property
    def borrowing(self) -> int:
        return self.assignment.borrowing

    @property
    def admission(self) -> Admission:
        return self.assignment.admission(self.queue.name)


def run(snapshot: Snapshot, heads: Iterable[Head], config: Config, number: int) -> list[Decision]:
    """Decides ``heads``, one of each queue at most. ``number`` counts cycles up; see ``waiting.Progress``."""
    cycle = _Cycle(snapshot, config, number)
    try:
        return list(cycle.decide(heads))
    finally:
        cycle.undo()


@dataclass
class _Cycle:
    snapshot: Snapshot
    config: Config
    number: int
    leaving: dict[str, Workload] = field(default_factory=dict)
    """Victims chosen so far. They stay in the snapshot, and are left out wherever a fit is checked."""
    _taken: list[tuple[ClusterQueue, Usage, Workload, Admission | None]] = field(default_factory=list)

    def decide(self, heads: Iterable[Head]) -> Iterator[Decision]:
        # 1. Nominate.
        nominees: list[_Nominee] = []
        for head in heads:
            refusal = self._refusal(head)
            if refusal is None:
                nominees.append(self._nominate(head))
            else:
                yield refusal
        # 2. Order.
        ordered: Iterable[_Nominee] = ordering.classical(nominees)
        if self.config.fair_sharing:
            ordered = ordering.fair(self.snapshot, nominees)
        # 3. Decide.
        for nominee in ordered:
            yield self._decide(nominee)

    def undo(self) -> None:
        for queue, usage, workload, admission in reversed(self._taken):
            for key, amount in usage.items():
                queue.remove(key, amount)
            if admission is not None:
                self.snapshot.use_topologies(workload, admission, sign=-1)

    # Step 1.

    def _refusal(self, head: Head) -> Decision | None:
        """Why a head is not even nominated, if so."""
        workload, queue = head.waiting.workload, self.snapshot.queues[head.cluster_queue]
        if workload.checks_failed:
            return _refused(head, reasons.PENDING_EVALUATION, reasons.CHECKS_FAILED, Requeue.MISCONFIGURED)
        if not queue.admits_namespace(self.snapshot.namespaces.get(workload.namespace)):
            return _refused(head, reasons.MISCONFIGURED, reasons.NAMESPACE_MISMATCH, Requeue.NAMESPACE_MISMATCH)
        complaint = workload.invalid
        if not complaint and (ranges := self.snapshot.limit_ranges.get(workload.namespace)):
            complaint = resource_limits.out_of_ranges(workload.templates, ranges)
        return _refused(head, reasons.MISCONFIGURED, complaint, Requeue.MISCONFIGURED) if complaint else None

    def _nominate(self, head: Head, pinned: Pinned | None = None) -> _Nominee:
        """Flavors and victims, for a part of the pods if not for all. ``pinned`` is for a second attempt."""
        queue, progress = self.snapshot.queues[head.cluster_queue], head.waiting.progress
        fresh = pinned is not None or progress is None or progress.outdated(self.number, queue.freed)
        tried = {} if fresh or progress is None else progress.tried
        workload = head.waiting.workload
        assigner = FlavorAssigner(self.snapshot, queue, workload, self.config, tried, pinned)

        def attempt(counts: list[int] | None) -> tuple[Assignment, list[Victim]]:
            assignment = assigner.assign(counts)
            if assignment.mode is not Mode.PREEMPT:
                return assignment, []
            return assignment, self._victims(workload, queue, assignment, assigner.topologies)

        def smaller(counts: list[int]) -> tuple[Assignment, list[Victim]] | None:
            found = attempt(counts)
            return found if found[0].mode is Mode.FIT or found[1] else None

        whole = attempt(None)
        found = whole
        if whole[0].mode is not Mode.FIT and not whole[1]:
            found = partial_admission.search(workload.pod_sets, smaller) or whole
        nominee = _Nominee(head, queue, *found)
        if nominee.assignment.mode is Mode.PREEMPT:
            self._place_after(nominee, assigner.topologies)
        return nominee

    def _victims(
        self, workload: Workload, queue: ClusterQueue, assignment: Assignment, topologies: frozenset[str]
    ) -> list[Victim]:
        parts = assignment.parts(topologies)

        def placeable() -> bool:
            return not isinstance(assigning.place_workload(self.snapshot, parts), assigning.Failure)

        contested = assignment.contested(topologies)
        return preemption.victims(
            self.snapshot, Preemptor(workload, queue, contested, assignment.usage, placeable), self.config
        )

    def _place_after(self, nominee: _Nominee, topologies: frozenset[str]) -> None:
        """Places the pods of a preemptor as if its victims had gone; without any, as if nobody was there.

        The latter is what is kept free for it, so that nobody less important is admitted now and preempted next.
        """
        parts = nominee.assignment.parts(topologies)
        with self.snapshot.without(victim.workload for victim in nominee.victims):
            placed = assigning.place_workload(self.snapshot, parts, empty=not nominee.victims)
        if not isinstance(placed, assigning.Failure):
            set_placements(nominee.assignment, placed)

    # Step 3.

    def _decide(self, nominee: _Nominee) -> Decision:
        nominee = self._again_if_overtaken(nominee)
        mode = nominee.assignment.mode
        if mode is Mode.NO_FIT:
            return self._wait(nominee, nominee.assignment.reason, nominee.assignment.message, Requeue.HOPELESS)
        if mode is Mode.PREEMPT and not nominee.victims:
            if nominee.queue.preemption.reclaim != "Any":
                self._take(nominee, self._reserved(nominee))
            return self._wait(nominee, reasons.WAITING_FOR_QUOTA, nominee.assignment.message, Requeue.HOPELESS)
        if nominee.fits_after_others:
            self._take(nominee, nominee.usage)
            return self._wait(
                nominee,
                reasons.WAITING_FOR_PREEMPTED_WORKLOADS,
                reasons.OVERLAPPING_BUT_FITS,
                Requeue.PENDING_PREEMPTION,
                keep_progress=False,
            )
        if self._overlaps(nominee):
            message = reasons.OVERLAPPING_TARGETS
            return self._wait(nominee, reasons.WAITING_FOR_QUOTA, message, Requeue.FAILED_AFTER_NOMINATION)
        if self._fits(nominee) != (True, True):
            message = reasons.NO_LONGER_FITS
            return self._wait(nominee, reasons.WAITING_FOR_QUOTA, message, Requeue.FAILED_AFTER_NOMINATION)
        self._take(nominee, nominee.usage)
        if mode is Mode.PREEMPT:
            return self._preempt(nominee)
        return Decision(nominee.head, Outcome.ADMIT, nominee.admission, considered=nominee.assignment.considered)

    def _again_if_overtaken(self, nominee: _Nominee) -> _Nominee:
        """A second look at flavors that an earlier decision of this cycle has spoilt."""
        if nominee.assignment.mode is Mode.NO_FIT or (nominee.assignment.mode is Mode.PREEMPT and not nominee.victims):
            return nominee
        overlaps = self._overlaps(nominee)
        if not overlaps and self._fits(nominee) != (True, False):
            return nominee
        pinned = {
            (pod_set.pod_set.name, resource): choice.flavor
            for pod_set in nominee.assignment.pod_sets
            for resource, choice in pod_set.choices.items()
        }
        if not overlaps:
            return self._nominate(nominee.head, pinned)
        with self.snapshot.without(self.leaving.values()):
            again = self._nominate(nominee.head, pinned)
        again.fits_after_others = again.assignment.mode is Mode.FIT
        return again

    def _preempt(self, nominee: _Nominee) -> Decision:
        evictions = []
        for victim in nominee.victims:
            self.leaving[victim.workload.key] = victim.workload
            if not victim.workload.evicted:
                evictions.append(self._eviction(nominee, victim))
        return Decision(
            nominee.head,
            Outcome.PREEMPT,
            reason=reasons.WAITING_FOR_PREEMPTED_WORKLOADS,
            message=nominee.assignment.message + reasons.pending_preemption(len(nominee.victims)),
            requeue=Requeue.PENDING_PREEMPTION,
            evictions=evictions,
        )

    def _eviction(self, nominee: _Nominee, victim: Victim) -> Eviction:
        workload = nominee.workload
        theirs = self.snapshot.queues[held(victim.workload).cluster_queue]
        message = reasons.preempted(workload.uid, workload.job_uid, victim.reason, nominee.queue.path(), theirs.path())
        return Eviction(victim.workload, victim.reason, message)

    def _wait(
        self, nominee: _Nominee, reason: str, message: str, requeue: Requeue, *, keep_progress: bool = True
    ) -> Decision:
        progress = None
        if keep_progress:
            progress = Progress(nominee.assignment.tried, self.number, nominee.queue.freed)
        return Decision(nominee.head, Outcome.WAIT, reason=reason, message=message, requeue=requeue, progress=progress)

    def _overlaps(self, nominee: _Nominee) -> bool:
        return any(victim.workload.key in self.leaving for victim in nominee.victims)

    def _fits(self, nominee: _Nominee) -> tuple[bool, bool]:
        """Whether (its quota, its placement) is free once all victims, earlier ones' and its own, have gone."""
        others = list(self.leaving.values())
        if not self.snapshot.topologies:
            tree = nominee.queue.root
            others = [w for w in others if self.snapshot.queues[held(w).cluster_queue].root is tree]
        gone = {w.key: w for w in [*others, *(victim.workload for victim in nominee.victims)]}
        with self.snapshot.without(gone.values()):
            queue = nominee.queue
            quota = all(amount <= max(0, queue.available(key)) for key, amount in nominee.usage.items())
            return quota, quota and self.snapshot.holds_topologies(nominee.workload, nominee.admission)

    def _take(self, nominee: _Nominee, usage: Usage) -> None:
        """Counts usage for the rest of the cycle."""
        admission = nominee.admission if len(nominee.assignment.pod_sets) == len(nominee.workload.pod_sets) else None
        self.snapshot.use(nominee.queue, usage)
        if admission is not None:
            self.snapshot.use_topologies(nominee.workload, admission)
        self._taken.append((nominee.queue, usage, nominee.workload, admission))

    def _reserved(self, nominee: _Nominee) -> Usage:
        """What is kept for a workload that waits for others to end: its quota, but not what is others' to lend."""
        result: Usage = {}
        for key, amount in nominee.usage.items():
            result[key] = self._reservable(nominee, key, amount)
        return result

    def _reservable(self, nominee: _Nominee, key: FlavorResource, amount: int) -> int:
        queue = nominee.queue
        quota = queue.quotas.get(key)
        nominal = quota.nominal if quota else 0
        if not nominee.borrowing:
            return max(0, min(amount, nominal - queue.used(key)))
        if quota is None or quota.borrowing_limit is None:
            return amount
        return max(0, min(amount, nominal + quota.borrowing_limit - queue.used(key)))


def _refused(head: Head, reason: str, message: str, requeue: Requeue) -> Decision:
    return Decision(head, Outcome.WAIT, reason=reason, message=message, requeue=requeue)
