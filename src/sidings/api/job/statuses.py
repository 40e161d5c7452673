"""Which status a Job may have (``ValidateJobStatus`` and ``ValidateJobUpdateStatus``, Kubernetes 1.36).

These rules guard what others build on: a final condition means that nothing runs any more and everything is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import conditions, fields
from sidings.api.fields import FieldError
from sidings.api.job import indexes
from sidings.api.objects import Object

COUNTERS = ("active", "succeeded", "failed", "ready", "terminating")


def errors(new: Object, old: Object) -> list[FieldError]:
    """Every broken rule of a status write from ``old`` to ``new``, in upstream's order."""
    return [*_numbers(new), *_uncounted(new), *_ends(new, old), *_progress(new, old)]


def _numbers(job: Object) -> Iterator[FieldError]:
    status = job.get("status") or {}
    for name in COUNTERS:
        value = status.get(name)
        if value is not None and value < 0:
            yield fields.invalid(f"status.{name}", value, "must be greater than or equal to 0")


def _uncounted(job: Object) -> Iterator[FieldError]:
    """Each pod is counted once, so each is named once."""
    uncounted = (job.get("status") or {}).get("uncountedTerminatedPods") or {}
    seen: set[str] = set()
    for name in ("succeeded", "failed"):
        for index, uid in enumerate(uncounted.get(name) or ()):
            path = f"status.uncountedTerminatedPods.{name}[{index}]"
            if not uid:
                yield fields.invalid(path, uid, "must not be empty")
            elif uid in seen:
                yield fields.duplicate(path, uid)
            seen.add(uid)


def _ends(job: Object, old: Object) -> Iterator[FieldError]:
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
    yield from _indexes(job, old)
    if (complete or failed) and status.get("terminating"):
        yield fields.invalid("status.terminating", status["terminating"], "terminating>0 is invalid for finished job")
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
        yield fields.invalid(where, moment, "must be equal to or after `startTime`")


def _finished(job: Object, status: Object) -> Iterator[FieldError]:
    if status.get("active"):
        yield fields.invalid("status.active", status["active"], "active>0 is invalid for finished job")
    # A suspended Job of no completions is done before it starts (recorded: a TrainJob with numNodes 0).
    never_starts = job["spec"].get("suspend") and job["spec"].get("completions") == 0
    if not status.get("startTime") and not never_starts:
        yield fields.required("status.startTime", "startTime is required for finished job")
    uncounted = status.get("uncountedTerminatedPods") or {}
    if uncounted.get("succeeded") or uncounted.get("failed"):
        yield fields.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job")


def _indexes(new: Object, old: Object) -> Iterator[FieldError]:
    """Sets of indexes that a write changes are apart, and below the completions; a Job that shrank may keep others."""
    before, after = old.get("status") or {}, new.get("status") or {}
    spec = new["spec"]
    completions, per_index = spec.get("completions"), spec.get("backoffLimitPerIndex") is not None
    completed, failed = after.get("completedIndexes") or "", after.get("failedIndexes")
    completed_changed = completed != (before.get("completedIndexes") or "")
    failed_changed = failed != before.get("failedIndexes")
    if completed_changed and completions is not None:
        yield from _format("completedIndexes", completed, completions)
    if failed_changed and completions is not None and per_index and failed is not None:
        yield from _format("failedIndexes", failed, completions)
    if completed_changed and completed and spec.get("completionMode") != "Indexed":
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield fields.invalid("status.completedIndexes", completed, detail)
    if failed_changed and failed is not None and not per_index:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield fields.invalid("status.failedIndexes", failed, detail)
    # Most Jobs have no failed indexes, and the controller writes the others each time that a pod ends.
    if (completed_changed or failed_changed) and completions is not None and failed:
        yield from _overlap(completed, failed, completions)


def _format(name: str, text: str, completions: int) -> Iterator[FieldError]:
    try:
        indexes.parse_strictly(text, completions)
    except ValueError as error:
        yield fields.invalid(f"status.{name}", text, f"error parsing {name}: {error}")


def _overlap(completed: str, failed: str, completions: int) -> Iterator[FieldError]:
    """Text that cannot be read is told by its format."""
    try:
        both = indexes.parse(completed, completions) & indexes.parse(failed, completions)
    except ValueError:
        return
    if both:
        detail = f"failedIndexes and completedIndexes overlap at index: {min(both)}"
        yield fields.invalid("status.failedIndexes", failed, detail)


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
        yield fields.invalid("status.completionTime", ends, "field is immutable")
    started = before.get("startTime")
    if started and started != after.get("startTime") and not new["spec"].get("suspend"):
        yield fields.required("status.startTime", "startTime cannot be removed for unsuspended job")
    met_before, met = (conditions.is_true(job, "SuccessCriteriaMet") for job in (old, new))
    if met_before and not met:
        yield _refused("cannot disable the SuccessCriteriaMet=True condition")
    if conditions.is_true(old, "Complete") and not met_before and met:
        yield _refused("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")


def _refused(detail: str) -> FieldError:
    return fields.invalid_whole("status.conditions", detail)
