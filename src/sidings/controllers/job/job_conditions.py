"""Conditions of a Job (``batch/v1``), which carry a probe time beside the transition time."""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.objects import Object


def is_finished(job: Object) -> bool:
    return conditions.is_true(job, "Complete") or conditions.is_true(job, "Failed")


def new(type_: str, status: str, reason: str, message: str, now: datetime) -> Object:
    moment = timestamps.to_text(now)
    return {
        "type": type_,
        "status": status,
        "lastProbeTime": moment,
        "lastTransitionTime": moment,
        "reason": reason,
        "message": message,
    }


def put(present: list[Object], condition: Object) -> tuple[list[Object], bool]:
    """(the conditions with ``condition``, whether that changed them). One that is False is never introduced."""
    old = conditions.find(present, condition["type"])
    if old is None:
        return (present, False) if condition["status"] == "False" else ([*present, condition], True)
    if all(old.get(key) == condition[key] for key in ("status", "reason", "message")):
        return present, False
    return [condition if one is old else one for one in present], True
