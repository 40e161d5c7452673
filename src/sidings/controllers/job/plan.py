"""One pass of the Job controller as a pure function: what to do with the pods and what to write into the status.

The steps are those of ``syncJob`` in pkg/controller/job/job_controller.go (1.36), with one status write instead of two:
an end noted in one pass is counted in the next, which follows at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sidings.api import objects
from sidings.api.objects import Object
from sidings.controllers.job import completion, job_conditions, pods, suspension, tally, tracking, verdict
from sidings.controllers.job.backoff import NO_FAILURES, Backoff
from sidings.controllers.job.scaling import Scaling, scale
from sidings.controllers.job.snapshot import Snapshot
from sidings.controllers.runtime.plan import EventNote


@dataclass
class JobPlan:
    """Everything that one pass wants done, in the order of its fields; ``effects`` does it."""

    discard: list[Object] = field(default_factory=list)
    """Pods that lose their finalizer and are deleted: they count neither as failed nor as succeeded."""
    terminate: list[Object] = field(default_factory=list)
    """Pods that are deleted and counted."""
    create: list[Object] = field(default_factory=list)
    status: Object | None = None
    """The new status, None where nothing changed. Its ``active`` supposes that all of ``create`` succeed."""
    release: list[Object] = field(default_factory=list)
    """Pods whose end ``status`` has noted: their finalizer goes once it is written."""
    events: list[EventNote] = field(default_factory=list)
    backoff: Backoff = NO_FAILURES
    """The back-off to remember once ``status`` is written."""
    requeue_after: float | None = None


def plan(snapshot: Snapshot, now: datetime) -> JobPlan:
    """Decide on the pass. ``now`` is aware."""
    job = snapshot.job
    if job_conditions.is_finished(job):
        return JobPlan(release=[pod for pod in snapshot.pods if pods.is_tracked(pod)])
    status: dict[str, Any] = objects.copy_of(job.get("status") or {})
    result = JobPlan()

    suspension.start(job, status, now)
    count = tally.take(snapshot)
    result.backoff = snapshot.backoff.after(count.new_succeeded, count.new_failed)
    judged = verdict.reach(snapshot, count, now)
    if judged is not None:
        result.terminate = count.active
        scaling = Scaling(0)
    elif objects.is_deleting(job):
        scaling = Scaling(len(count.active))
        judged = verdict.completed(job, count, scaling.active)
    else:
        scaling = scale(job, count, result.backoff, now)
        judged = verdict.completed(job, count, scaling.active)
        if judged is None:
            result.events += suspension.note(job, status, now)
    result.discard, result.create = scaling.discard, scaling.create
    tracked = tracking.track(snapshot, count, ending=judged)
    _set_numbers(status, result, scaling, count)
    status |= tracked.status
    announced = judged is not None and completion.announce(judged, status, now)
    if judged is not None and tracked.complete and not announced and not status["terminating"]:
        result.events += completion.finish(job, judged, status, now)

    if status.get("active", 0) < status["ready"]:
        # The API server refuses such a status (api.job.status), and upstream retries it in vain for the whole
        # back-off. Nothing may be released before its end is noted, so the whole pass waits.
        return JobPlan(backoff=snapshot.backoff, requeue_after=scaling.wait)
    result.release = tracked.release
    new_status = _without_zeros(status)
    if new_status != _without_zeros(job.get("status") or {}):
        result.status = new_status
    if tracked.release or announced:
        result.requeue_after = 0.0
    elif judged is None:
        result.requeue_after = _next_look(job, scaling, now)
    return result


def _set_numbers(status: dict[str, Any], result: JobPlan, scaling: Scaling, count: tally.Tally) -> None:
    gone = [*result.discard, *result.terminate]
    status["active"] = scaling.active
    status["ready"] = count.ready - sum(pods.is_ready(pod) for pod in gone)
    status["terminating"] = len(count.terminating) + len(gone)


def _next_look(job: Object, scaling: Scaling, now: datetime) -> float | None:
    """Seconds until a Job that goes on must be looked at even if nothing happens."""
    deadline = verdict.seconds_to_deadline(job, now)
    waits = [seconds for seconds in (scaling.wait, deadline) if seconds]
    return min(waits) if waits else None


def _without_zeros(status: Object) -> Object:
    """As Go writes it: counters that are 0 and lists that are empty are left out; pointers are not."""
    omitted = ("active", "succeeded", "failed", "completedIndexes", "conditions")
    return {key: value for key, value in status.items() if value or key not in omitted}
