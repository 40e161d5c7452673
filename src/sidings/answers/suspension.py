"""Where a job says that it is suspended, and who wants it so: a user, or the queue that holds it.

One field of spec, for jobs of the Training Operator one of its run policy. A queue uses the same field, so who wants it
is told by the job's Workload: one that is active waits, one that is not was stopped by somebody.
"""

from __future__ import annotations

from sidings.api import conditions
from sidings.api.objects import Object
from sidings.api.training_operator import framework

_TIME_IS_USED = "MaximumExecutionTimeExceeded"
"""How the reason of such an eviction ends (Kueue v0.19)."""


def is_suspended(root: Object) -> bool:
    """Whether the job is asked to have no pods."""
    spec = root["spec"]
    where = spec.get("runPolicy") or {} if framework.of_object(root) else spec
    return bool(where.get("suspend"))


def change(root: Object, suspend: bool) -> Object:
    """The merge patch that suspends or resumes the job."""
    field = {"suspend": suspend}
    return {"spec": {"runPolicy": field} if framework.of_object(root) else field}


def is_stopped(root: Object, workload: Object | None) -> bool:
    """Whether somebody has stopped the job: by its own field, where a queue holds it by its Workload."""
    return is_suspended(root) if workload is None else not waits_in_queue(workload)


def change_in_queue(suspend: bool) -> Object:
    """The merge patch of the Workload that suspends or resumes a job which a queue holds.

    The job's own field is the queue's: what anybody else writes there is undone.
    """
    return {"spec": {"active": not suspend}}


def waits_in_queue(workload: Object | None) -> bool:
    """Whether a suspended job of this Workload starts by itself as soon as the queue lets it."""
    return workload is not None and workload["spec"].get("active", True) is not False


def has_used_its_time(workload: Object) -> bool:
    """Whether it was deactivated because it has run for as long as it may. Activated, it is deactivated again.

    Kueue v0.19 keeps the time that it has run, and sets DeactivationTarget again while its job still stops.
    """
    evicted = conditions.find((workload.get("status") or {}).get("conditions"), "Evicted") or {}
    return not waits_in_queue(workload) and str(evicted.get("reason") or "").endswith(_TIME_IS_USED)


def why_it_waits(workload: Object) -> str:
    """``Reason: message`` of the condition that holds it: no quota yet, or a check that is not ready.

    Behind it the eviction that brought it back to the queue. Empty where the queue has not looked at it yet.
    """
    found = (workload.get("status") or {}).get("conditions")
    for type_ in ("QuotaReserved", "Admitted"):
        condition = conditions.find(found, type_)
        if condition is None or condition["status"] != "False":
            continue
        text = f"{condition['reason']}: {condition['message']}"
        evicted = conditions.find(found, "Evicted")
        return f"{text}; evicted before: {evicted['message']}" if evicted and evicted["status"] == "True" else text
    return ""
