"""How many pods a Job runs, and which ones it adds or removes (``manageJob`` in job_controller.go, 1.36).

A pass either removes or adds, never both. While a back-off keeps it from adding pods, upstream reports no active pods
at all, whatever runs; that is recorded behaviour, and ``plan`` deals with what follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from sidings.api.job import indexes
from sidings.api.objects import Object
from sidings.controllers.job import per_index, pods, removal, template
from sidings.controllers.job.backoff import Backoff
from sidings.controllers.job.tally import Tally

MOST_PER_PASS = 500
"""Pods created or removed in one pass."""


@dataclass(frozen=True)
class Scaling:
    """Pods to discard or to create, and the number of active ones to report."""

    active: int
    discard: list[Object] = field(default_factory=list)
    """Deleted without being counted."""
    create: list[Object] = field(default_factory=list)
    wait: float = 0.0
    """Seconds until pods may be created; 0 where nothing waits."""


def scale(job: Object, tally: Tally, backoff: Backoff, now: datetime) -> Scaling:
    """Compare the active pods with the wanted ones."""
    active = len(tally.active)
    if job["spec"].get("suspend"):
        return Scaling(0, discard=list(tally.active))
    wanted = wanted_active(job, tally)
    surplus = removal.choose(job, tally.active, max(active - wanted, 0))[:MOST_PER_PASS]
    if surplus:
        return Scaling(active - len(surplus), discard=surplus)
    missing = wanted - active - (len(tally.terminating) if pods.replaces_only_failed(job) else 0)
    if missing <= 0:
        return Scaling(active)
    return _grow(job, tally, min(missing, MOST_PER_PASS), backoff, now)


def wanted_active(job: Object, tally: Tally) -> int:
    """Pods that should be active: parallelism, but no more than completions are left.

    A work queue (no ``completions``) starts no pod after one has succeeded, and lets the others finish.
    """
    parallelism = int(job["spec"]["parallelism"])
    completions: int | None = job["spec"].get("completions")
    if completions is None:
        return len(tally.active) if tally.succeeded else parallelism
    return max(min(parallelism, completions - tally.succeeded), 0)


def _grow(job: Object, tally: Tally, missing: int, backoff: Backoff, now: datetime) -> Scaling:
    active = len(tally.active)
    if tally.delayed is None and (wait := backoff.remaining(now)):
        return Scaling(0, wait=wait)
    if not pods.is_indexed(job):
        return Scaling(active + missing, create=[template.pod_for(job) for _ in range(missing)])
    wanted = indexes.first_missing(_taken(job, tally), job["spec"]["completions"], missing)
    if tally.delayed is None:
        return Scaling(active + len(wanted), create=[template.pod_for(job, index) for index in wanted])
    wanted, wait = per_index.ready_to_retry(wanted, tally.delayed, now)
    if wait:
        return Scaling(0, wait=wait)
    created = [
        template.pod_for(job, index, per_index.annotations_for(tally.delayed.get(index), job)) for index in wanted
    ]
    return Scaling(active + len(created), create=created)


def _taken(job: Object, tally: Tally) -> set[int]:
    """Indexes that need no new pod."""
    holders = [*tally.active, *(tally.terminating if pods.replaces_only_failed(job) else ())]
    held = {index for pod in holders if (index := pods.index_in(pod, job)) is not None}
    return held | tally.succeeded_indexes | (tally.failed_indexes or frozenset())
