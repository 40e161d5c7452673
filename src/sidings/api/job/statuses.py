"""Which status a Job may have (``ValidateJobStatus`` and ``ValidateJobUpdateStatus``, Kubernetes 1.36).

These rules guard what others build on: a final condition means that nothing runs any more and everything is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import conditions, fields
from sidings.api.fields import FieldError
from sidings.api.objects import Object

COUNTERS = ("active", "succeeded", "failed", "ready", "terminating")


def errors(new: Object, old: Object) -> list[FieldError]:
    """Every broken rule of a status write from ``old`` to ``new``, in upstream's order."""
    return [*_numbers(new), *_ends(new), *_progress(new, old)]


def _numbers(job: Object) -> Iterator[FieldError]:
    status = job.get("status") or {}
    for name in COUNTERS:
        value = status.get(name)
        if value is not None and value < 0:
            yield fields.invalid(f"status.{name}", value, "must be greater than or equal to 0")


def _ends(job: Object) -> Iterator[FieldError]:
    """What the conditions of an end say of each other and of the numbers."""
    status = job.get("status") or {}
    complete, failed = conditions.is_true(job, "Complete"), conditions.is_true(job, "Failed")
    target, criteria = conditions.is_true(job, "FailureTarget"), conditions.is_true(job, "SuccessCriteriaMet")
    if complete and failed:
        yield _refused("cannot set Complete=True and Failed=true conditions")
    if complete and target:
        yield _refused("cannot set Complete=True and FailureTarget=true conditions")
    yield from _completion_time(status, complete=complete)
    if failed and not target:
        yield _refused("cannot set Failed=True condition without the FailureTarget=true condition")
    if complete and not criteria:
        yield _refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
    if complete or failed:
        yield from _finished(job, status)
    ready = status.get("ready") or 0
    if ready > (status.get("active") or 0):
        yield fields.invalid("status.ready", ready, "cannot set more ready pods than active")
    if criteria and failed:
        yield _refused("cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if criteria and target:
        yield _refused("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if job["spec"].get("successPolicy") and complete and not criteria:
        yield _refused("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")


def _completion_time(status: Object, *, complete: bool) -> Iterator[FieldError]:
    moment, start = status.get("completionTime"), status.get("startTime")
    where = "status.completionTime"
    if moment and not complete:
        yield fields.invalid(where, moment, "cannot set completionTime when there is no Complete=True condition")
    if complete and not moment:
        yield fields.required(where, "completionTime is required for Complete jobs")
    if moment and start and moment < start:
        yield fields.invalid(where, moment, "completionTime cannot be set before startTime")


def _finished(job: Object, status: Object) -> Iterator[FieldError]:
    if status.get("active"):
        yield fields.invalid("status.active", status["active"], "active>0 is invalid for finished job")
    # A suspended Job of no completions is done before it starts (recorded: a TrainJob with numNodes 0).
    never_starts = job["spec"].get("suspend") and job["spec"].get("completions") == 0
    if not status.get("startTime") and not never_starts:
        yield fields.required("status.startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if uncounted.get("succeeded") or uncounted.get("failed"):
        detail = "uncountedTerminatedPods needs to be empty for finished job"
        yield fields.invalid("status.uncountedTerminatedPods", uncounted, detail)
    if status.get("terminating"):
        yield fields.invalid("status.terminating", status["terminating"], "terminating>0 is invalid for finished job")


def _progress(new: Object, old: Object) -> Iterator[FieldError]:
    """Finished stays finished, what is counted stays counted, and only a suspension stops the clock."""
    before, after = old.get("status") or {}, new.get("status") or {}
    for type_ in ("Failed", "Complete", "FailureTarget"):
        if conditions.is_true(old, type_) and not conditions.is_true(new, type_):
            yield _refused(f"cannot disable the terminal {type_}=True condition")
    decreasing = ("failed",) if new["spec"].get("completionMode") == "Indexed" else ("failed", "succeeded")
    for name in decreasing:
        if (after.get(name) or 0) < (before.get(name) or 0):
            yield fields.invalid(f"status.{name}", after.get(name) or 0, f"cannot decrease the {name} counter")
    ended, ends = before.get("completionTime"), after.get("completionTime")
    if ended and ends and ended != ends:
        yield fields.invalid("status.completionTime", ends, "completionTime cannot be mutated")
    started = before.get("startTime")
    if started and started != after.get("startTime") and not new["spec"].get("suspend"):
        yield fields.required("status.startTime", "startTime cannot be removed for unsuspended job")
    if conditions.is_true(old, "SuccessCriteriaMet") and not conditions.is_true(new, "SuccessCriteriaMet"):
        yield _refused("cannot disable the SuccessCriteriaMet=True condition")


def _refused(detail: str) -> FieldError:
    """Upstream shows no value where it is the conditions that are wrong."""
    return FieldError("status.conditions", "FieldValueInvalid", f"Invalid value: {detail}")
