"""Counting: how many pods are active, and how many have ended, counted or not.

A pod's end is counted exactly once, in three steps that survive a crash between any two of them (``tracking`` takes
them): the end is written into the status, the pod's finalizer is removed, the status forgets the pod. A tally looks
through all three: what the status has counted, what it has noted, and what it has not seen yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sidings.api import objects
from sidings.api.job import indexes
from sidings.api.objects import Object
from sidings.controllers.job import per_index, pod_failure_policy, pods
from sidings.controllers.job.snapshot import Snapshot


@dataclass(frozen=True)
class Tally:
    """The numbers on which the pass decides."""

    active: list[Object]
    ready: int
    terminating: list[Object]
    new_succeeded: list[Object]
    """Pods whose success no status has noted yet."""
    new_failed: list[Object]
    succeeded: int
    failed: int
    recorded_indexes: frozenset[int] = frozenset()
    """Of an Indexed Job: the indexes that its status lists as succeeded ..."""
    succeeded_indexes: frozenset[int] = frozenset()
    """... and these together with those of pods that succeeded since."""
    failed_indexes: frozenset[int] | None = None
    """Indexes that failed for good; None without ``backoffLimitPerIndex``."""
    delayed: dict[int, Object] | None = None
    """With ``backoffLimitPerIndex``: the failed pod of each index that is to be retried."""


def take(snapshot: Snapshot) -> Tally:
    """Count the pods of ``snapshot``."""
    job, status = snapshot.job, snapshot.job.get("status") or {}
    noted = status.get("uncountedTerminatedPods") or {}
    active = [pod for pod in snapshot.pods if pods.is_active(pod)]
    succeeded = _unseen(snapshot, noted.get("succeeded"), pods.has_succeeded)
    failed = _unseen(snapshot, noted.get("failed"), lambda pod: pods.has_failed(pod, job))
    failures = sum(pod_failure_policy.counts(job, pod) for pod in failed)

    recorded: frozenset[int] = frozenset()
    all_indexes: frozenset[int] = frozenset()
    failed_indexes: frozenset[int] | None = None
    delayed: dict[int, Object] | None = None
    successes = int(status.get("succeeded") or 0) + len(succeeded) + len(noted.get("succeeded") or ())
    if pods.is_indexed(job):
        completions = job["spec"]["completions"]
        recorded = indexes.parse(status.get("completedIndexes"), completions)
        all_indexes = recorded | _succeeded_indexes(snapshot)
        successes = len(all_indexes)
        if per_index.has_limit(job):
            failed_indexes = indexes.parse(status.get("failedIndexes"), completions) | per_index.newly_failed(
                job, snapshot.pods
            )
            alive = {index for pod in active if (index := pods.index_in(pod, job)) is not None}
            delayed = per_index.delayed(job, snapshot.pods, all_indexes | failed_indexes | alive)
    return Tally(
        active=active,
        ready=sum(pods.is_ready(pod) for pod in active),
        terminating=[pod for pod in snapshot.pods if pods.is_terminating(pod)],
        new_succeeded=succeeded,
        new_failed=failed,
        succeeded=successes,
        failed=int(status.get("failed") or 0) + failures + len(noted.get("failed") or ()),
        recorded_indexes=recorded,
        succeeded_indexes=all_indexes,
        failed_indexes=failed_indexes,
        delayed=delayed,
    )


def _unseen(snapshot: Snapshot, noted: Iterable[str] | None, ended: Callable[[Object], bool]) -> list[Object]:
    seen = set(noted or ())
    return [
        pod
        for pod in snapshot.pods
        if pods.is_tracked(pod)
        and objects.uid_of(pod) not in seen
        and pods.counts_for(pod, snapshot.job)
        and ended(pod)
    ]


def _succeeded_indexes(snapshot: Snapshot) -> set[int]:
    return {
        index
        for pod in snapshot.pods
        if pods.is_tracked(pod) and pods.has_succeeded(pod) and (index := pods.index_in(pod, snapshot.job)) is not None
    }
