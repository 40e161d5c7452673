"""Victims without fair sharing: lower priority in the own queue, and who uses what is lent in the cohort.

Walking up the tree, a queue whose subtree has room of its own for the request has the right to reclaim what others
borrow from it (*hierarchical* candidates); otherwise those who borrow may be preempted by priority only, and whether
the preemptor may itself end up borrowing is ``borrowWithinCohort``'s to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sidings.queue import preemption, reasons
from sidings.queue.amounts import Usage
from sidings.queue.preemption import Preemptor, Victim
from sidings.queue.quota import Node
from sidings.queue.snapshot import NEVER, ClusterQueue, Cohort, Snapshot
from sidings.queue.workloads import Workload, held


@dataclass(frozen=True)
class _Candidate:
    """``top`` is the lowest cohort above both; ``lends_only`` forbids it while the preemptor would borrow."""

    workload: Workload
    reason: str
    top: Cohort | None
    lends_only: bool = False


@dataclass(frozen=True)
class _Candidates:
    by_right: list[_Candidate]
    by_priority: list[_Candidate]
    own: list[_Candidate]

    def in_order(self) -> Iterator[_Candidate]:
        """Those already evicted of all three lists, then the others."""
        for evicted in (True, False):
            for candidates in (self.by_right, self.by_priority, self.own):
                yield from (c for c in candidates if c.workload.evicted is evicted)


def victims(snapshot: Snapshot, preemptor: Preemptor) -> list[Victim]:
    candidates = _collect(preemptor)
    for may_borrow in _attempts(preemptor, candidates):
        chosen: list[Victim] = []
        for candidate in candidates.in_order():
            if not _usable(snapshot, preemptor, candidate, may_borrow):
                continue
            snapshot.remove(candidate.workload)
            chosen.append(Victim(candidate.workload, candidate.reason))
            if preemptor.fits(may_borrow=may_borrow):
                return preemption.fill_back(snapshot, preemptor, chosen, may_borrow=may_borrow)
        preemption.restore(snapshot, chosen)
    return []


def _attempts(preemptor: Preemptor, candidates: _Candidates) -> list[bool]:
    """In which order to try with and without borrowing."""
    queue = preemptor.queue
    never = queue.preemption.while_borrowing == NEVER
    under_nominal = all(
        queue.used(key) < (queue.quotas[key].nominal if key in queue.quotas else 0) for key in preemptor.contested
    )
    if not (candidates.by_right or candidates.by_priority) or (never and not under_nominal):
        return [True]
    return [False, True] if never and not candidates.by_right else [True, False]


def _usable(snapshot: Snapshot, preemptor: Preemptor, candidate: _Candidate, may_borrow: bool) -> bool:
    """Whether the candidate's side still uses more than its own, after those that went before."""
    queue = snapshot.queues[held(candidate.workload).cluster_queue]
    if queue is preemptor.queue:
        return True
    if may_borrow and candidate.lends_only:
        return False
    node: Node = queue
    while node is not candidate.top:
        if node.within_nominal(preemptor.contested):
            return False
        assert node.parent is not None
        node = node.parent
    return True


def _collect(preemptor: Preemptor) -> _Candidates:
    queue, policy = preemptor.queue, preemptor.queue.preemption
    order = preemption.order(queue)
    own = [
        _Candidate(workload, reasons.IN_CLUSTER_QUEUE, queue.parent)
        for workload in queue.workloads.values()
        if preemption.policy_allows(policy.within_queue, preemptor.workload, workload)
        and preemption.uses(workload, preemptor.contested)
    ]
    by_right: list[_Candidate] = []
    by_priority: list[_Candidate] = []
    if policy.reclaim != NEVER:
        right, remaining = _within_quota(queue, preemptor.usage)
        below: Cohort | None = None
        for cohort in queue.ancestors():
            for workload in _borrowers(cohort, below, preemptor):
                if right:
                    by_right.append(_Candidate(workload, reasons.IN_COHORT_RECLAMATION, cohort))
                else:
                    by_priority.append(_by_priority(preemptor, workload, cohort))
            within, remaining = _within_quota(cohort, remaining)
            right = right or within
            below = cohort
    for candidates in (by_right, by_priority, own):
        candidates.sort(key=lambda candidate: order(candidate.workload))
    return _Candidates(by_right, by_priority, own)


def _by_priority(preemptor: Preemptor, workload: Workload, cohort: Cohort) -> _Candidate:
    policy = preemptor.queue.preemption
    threshold = policy.while_borrowing_threshold
    lends_only = (
        policy.while_borrowing == NEVER
        or workload.priority >= preemptor.workload.priority
        or (threshold is not None and workload.priority > threshold)
    )
    reason = reasons.IN_COHORT_RECLAMATION if lends_only else reasons.IN_COHORT_RECLAIM_WHILE_BORROWING
    return _Candidate(workload, reason, cohort, lends_only)


def _borrowers(cohort: Cohort, below: Cohort | None, preemptor: Preemptor) -> Iterator[Workload]:
    """Whom the policy allows, of queues under ``cohort`` that use more than their own, save those under ``below``."""
    for child in cohort.cohorts:
        if child is not below and not child.within_nominal(preemptor.contested):
            yield from _borrowers(child, None, preemptor)
    for queue in cohort.queues:
        if queue is preemptor.queue or queue.within_nominal(preemptor.contested):
            continue
        yield from _reclaimable(queue, preemptor)


def _reclaimable(queue: ClusterQueue, preemptor: Preemptor) -> Iterator[Workload]:
    policy = preemptor.queue.preemption.reclaim
    for workload in queue.workloads.values():
        allowed = preemption.policy_allows(policy, preemptor.workload, workload)
        if allowed and preemption.uses(workload, preemptor.contested):
            yield workload


def _within_quota(node: Node, requests: Usage) -> tuple[bool, Usage]:
    """(whether ``requests`` fit the quota of the subtree, what of them its unlent part cannot hold)."""
    within = not any(node.borrows(key, amount) for key, amount in requests.items())
    return within, {key: max(0, amount - node.local_available(key)) for key, amount in requests.items()}
