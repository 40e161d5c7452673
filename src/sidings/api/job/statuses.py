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
    """Every broken rule of a status write from ``old`` to ``new``."""
    return [*_numbers(new), *_conditions(new), *_finished(new), *_progress(new, old)]


def _numbers(job: Object) -> Iterator[FieldError]:
    status = job.get("status") or {}
    for name in COUNTERS:
        value = status.get(name)
        if value is not None and value < 0:
            yield fields.invalid(f"status.{name}", value, "must be greater than or equal to 0")
    ready = status.get("ready") or 0
    if ready > (status.get("active") or 0):
        yield fields.invalid("status.ready", ready, "cannot set more ready pods than active")


def _conditions(job: Object) -> Iterator[FieldError]:
    complete, failed = conditions.is_true(job, "Complete"), conditions.is_true(job, "Failed")
    target, criteria = conditions.is_true(job, "FailureTarget"), conditions.is_true(job, "SuccessCriteriaMet")
    if complete and failed:
        yield _refused("cannot set Complete=True and Failed=true conditions")
    if complete and target:
        yield _refused("cannot set Complete=True and FailureTarget=true conditions")
    if target and criteria:
        yield _refused("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if failed and criteria:
        yield _refused("cannot set Failed=True and SuccessCriteriaMet=true conditions")
    if failed and not target:
        yield _refused("cannot set Failed=True condition without the FailureTarget=true condition")
    if complete and not criteria:
        yield _refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")


def _finished(job: Object) -> Iterator[FieldError]:
    status = job.get("status") or {}
    complete = conditions.is_true(job, "Complete")
    if status.get("completionTime") and not complete:
        yield fields.invalid(
            "status.completionTime",
            status["completionTime"],
            "cannot set completionTime when there is no Complete=True condition",
        )
    if not complete and not conditions.is_true(job, "Failed"):
        return
    if complete and not status.get("completionTime"):
        yield fields.required("status.completionTime", "completionTime is required for Complete jobs")
    # A suspended Job of no completions is done before it starts (recorded: a TrainJob with numNodes 0).
    if not status.get("startTime") and not job["spec"].get("suspend"):
        yield fields.required("status.startTime", "startTime is required for finished job")
    if status.get("active"):
        yield fields.invalid("status.active", status["active"], "active>0 is invalid for finished job")
    if status.get("terminating"):
        yield fields.invalid("status.terminating", status["terminating"], "terminating>0 is invalid for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if uncounted.get("succeeded") or uncounted.get("failed"):
        detail = "uncountedTerminatedPods needs to be empty for finished job"
        yield fields.invalid("status.uncountedTerminatedPods", uncounted, detail)


def _progress(new: Object, old: Object) -> Iterator[FieldError]:
    """Finished stays finished, what is counted stays counted, and only a suspension stops the clock."""
    before, after = old.get("status") or {}, new.get("status") or {}
    for type_ in ("Complete", "Failed"):
        if conditions.is_true(old, type_) and not conditions.is_true(new, type_):
            detail = f"cannot disable the terminal {type_}=True condition"
            yield _refused(detail)
    decreasing = ("failed",) if new["spec"].get("completionMode") == "Indexed" else ("failed", "succeeded")
    for name in decreasing:
        if (after.get(name) or 0) < (before.get(name) or 0):
            yield fields.invalid(f"status.{name}", after.get(name) or 0, f"cannot decrease the {name} counter")
    if before.get("startTime") and not after.get("startTime") and not new["spec"].get("suspend"):
        yield fields.required("status.startTime", "startTime cannot be removed for unsuspended job")


def _refused(detail: str) -> FieldError:
    """Upstream shows no value where it is the conditions that are wrong."""
    return FieldError("status.conditions", "FieldValueInvalid", f"Invalid value: {detail}")
