"""Who must make room for a workload: what both algorithms share, and the choice between them.

``preemption_classical`` is the default, ``preemption_fair`` serves installations with fair sharing. Both look for
victims in the snapshot, leave it as it was, and give the smallest set that an ordered search finds.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from typing import Any

from sidings.queue import borrowing
from sidings.queue.amounts import FlavorResource, Usage
from sidings.queue.fungibility import Fit
from sidings.queue.snapshot import NEVER, ClusterQueue, Snapshot
from sidings.queue.workloads import NEVER as NEVER_RESERVED
from sidings.queue.workloads import Workload, held

LESS_THAN_OR_EQUAL_TO_FINAL_SHARE = "LessThanOrEqualToFinalShare"
LESS_THAN_INITIAL_SHARE = "LessThanInitialShare"


@dataclass(frozen=True)
class Config:
    """``fairSharing`` of the manager's configuration; without it shares mean nothing."""

    fair_sharing: bool = False
    strategies: tuple[str, ...] = (LESS_THAN_OR_EQUAL_TO_FINAL_SHARE, LESS_THAN_INITIAL_SHARE)


@dataclass(frozen=True)
class Victim:
    """``reason`` is that of the victim's Preempted condition."""

    workload: Workload
    reason: str


@dataclass(frozen=True)
class Preemptor:
    """Who asks: ``contested`` are the flavor-resources that must come free, ``usage`` all that it will use.

    ``placeable`` says whether its pods find their places on the nodes of the snapshot as it is then.
    """

    workload: Workload
    queue: ClusterQueue
    contested: Set[FlavorResource]
    usage: Usage
    placeable: Callable[[], bool] = field(default=lambda: True)

    def fits(self, *, may_borrow: bool) -> bool:
        for key, amount in self.usage.items():
            if not may_borrow and self.queue.borrows(key, amount):
                return False
            if amount > self.queue.available(key):
                return False
        return self.placeable()


def victims(snapshot: Snapshot, preemptor: Preemptor, config: Config) -> list[Victim]:
    """Whom to preempt so that ``preemptor`` fits; empty if nobody may be, or all of them would not suffice."""
    from sidings.queue import preemption_classical, preemption_fair

    if config.fair_sharing:
        return preemption_fair.victims(snapshot, preemptor, config)
    return preemption_classical.victims(snapshot, preemptor)


def prospect(
    snapshot: Snapshot, workload: Workload, queue: ClusterQueue, key: FlavorResource, amount: int, config: Config
) -> tuple[Fit, int]:
    """Whether preemption could free ``amount`` of one flavor-resource, and the borrowing level after it."""
    found = victims(snapshot, Preemptor(workload, queue, {key}, {key: amount}), config)
    if not found:
        return Fit.NO_CANDIDATES, borrowing.level(queue, key, amount)[0]
    with snapshot.without(victim.workload for victim in found):
        level, _ = borrowing.level(queue, key, amount)
    own = any(held(victim.workload).cluster_queue == queue.name for victim in found)
    return (Fit.PREEMPT if own else Fit.RECLAIM), level


def policy_allows(policy: str, preemptor: Workload, candidate: Workload) -> bool:
    """The test of ``withinClusterQueue`` and ``reclaimWithinCohort``."""
    if policy == NEVER:
        return False
    if policy == "Any" or candidate.priority < preemptor.priority:
        return True
    newer = policy == "LowerOrNewerEqualPriority" and preemptor.queued_at < candidate.queued_at
    return newer and candidate.priority == preemptor.priority


def uses(workload: Workload, keys: Set[FlavorResource]) -> bool:
    return any(
        (flavor, resource) in keys
        for pod_set in held(workload).pod_sets
        for resource, flavor in pod_set.flavors.items()
    )


def order(queue: ClusterQueue) -> Callable[[Workload], Any]:
    """The order in which victims are tried for a preemptor of ``queue``.

    First those already on their way out, then those of other queues, then those whose LocalQueue has used more of late
    (``admission_fair_sharing``); the less important and the younger before others.
    """

    def key(candidate: Workload) -> tuple[bool, bool, float, int, float, str]:
        own = held(candidate).cluster_queue == queue.name
        return (
            not candidate.evicted,
            own,
            -queue.burden_of(candidate) if own else 0.0,
            candidate.priority,
            -(candidate.reserved_at or NEVER_RESERVED).timestamp(),
            candidate.uid,
        )

    return key


def fill_back(snapshot: Snapshot, preemptor: Preemptor, chosen: list[Victim], *, may_borrow: bool) -> list[Victim]:
    """Spares whom the preemptor fits beside, from the last but one to the first. All come back to the snapshot."""
    kept = chosen[-1:]
    for victim in reversed(chosen[:-1]):
        snapshot.add(victim.workload)
        if not preemptor.fits(may_borrow=may_borrow):
            snapshot.remove(victim.workload)
            kept.append(victim)
    restore(snapshot, kept)
    return kept


def restore(snapshot: Snapshot, chosen: list[Victim]) -> None:
    for victim in chosen:
        snapshot.add(victim.workload)
