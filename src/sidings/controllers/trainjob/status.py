"""A TrainJob's status: its own Suspended condition, and what its JobSet says.

Reasons and messages are those of Trainer 2.3 (``pkg/constants/constants.go``, ``pkg/controller``). A running TrainJob
that was never suspended has no condition at all: SDKs take any other for an end.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import conditions, timestamps
from sidings.api.objects import Object, copy_of

SUSPENDED = "Suspended"
COMPLETE = "Complete"
FAILED = "Failed"

REASON_SUSPENDED, MESSAGE_SUSPENDED = "Suspended", "TrainJob is suspended"
REASON_RESUMED, MESSAGE_RESUMED = "Resumed", "TrainJob is resumed"
REASON_DEADLINE, MESSAGE_DEADLINE = "DeadlineExceeded", "TrainJob exceeded its active deadline"

_FROM_JOB_SET = {"Completed": COMPLETE, "Failed": FAILED}
_COUNTS = ("ready", "succeeded", "failed", "active", "suspended")


def is_finished(job: Object) -> bool:
    return conditions.is_true(job, COMPLETE) or conditions.is_true(job, FAILED)


def next_status(job: Object, job_set: Object | None, now: datetime) -> Object:
    """The status of ``job`` given its JobSet, deadline apart. Without a JobSet what is known of it stays."""
    status: Object = copy_of(job.get("status") or {})
    _set_suspended(status, bool(job["spec"].get("suspend")), now)
    if job_set is not None:
        _copy_end(status, job_set)
        _copy_jobs(status, job_set)
    return status


def set_failed(status: Object, reason: str, message: str, now: datetime) -> None:
    _set(status, FAILED, "True", reason, message, timestamps.to_text(now))


def _set_suspended(status: Object, suspended: bool, now: datetime) -> None:
    moment = timestamps.to_text(now)
    condition = conditions.find(status.get("conditions"), SUSPENDED)
    if suspended:
        _set(status, SUSPENDED, "True", REASON_SUSPENDED, MESSAGE_SUSPENDED, moment)
    elif condition is not None and condition["status"] == "True":
        _set(status, SUSPENDED, "False", REASON_RESUMED, MESSAGE_RESUMED, moment)


def _copy_end(status: Object, job_set: Object) -> None:
    """A terminal JobSet ends the TrainJob with its reason, message and time; a passed deadline stays the reason."""
    failed = conditions.find(status.get("conditions"), FAILED)
    if failed is not None and failed["status"] == "True" and failed["reason"] == REASON_DEADLINE:
        return
    for condition in (job_set.get("status") or {}).get("conditions") or ():
        type_ = _FROM_JOB_SET.get(condition["type"])
        if type_ is not None and condition["status"] == "True":
            _set(status, type_, "True", condition["reason"], condition["message"], condition["lastTransitionTime"])


def _copy_jobs(status: Object, job_set: Object) -> None:
    jobs = (job_set.get("status") or {}).get("replicatedJobsStatus") or ()
    rows = [{"name": item["name"], **{count: item.get(count) or 0 for count in _COUNTS}} for item in jobs]
    if rows:
        status["jobsStatus"] = rows
    else:
        status.pop("jobsStatus", None)


def _set(status: Object, type_: str, value: str, reason: str, message: str, moment: str) -> None:
    """As apimachinery's SetStatusCondition: the time moves only with the status, the place in the list stays."""
    rows: list[Any] = status.setdefault("conditions", [])
    condition = conditions.find(rows, type_)
    if condition is None:
        condition = {"type": type_}
        rows.append(condition)
    if condition.get("status") != value:
        condition["lastTransitionTime"] = moment
    condition |= {"status": value, "reason": reason, "message": message}
