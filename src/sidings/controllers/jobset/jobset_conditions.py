"""Conditions of a JobSet, and the event that tells of each change (pkg/controllers/jobset_controller.go)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.controllers.runtime.plan import EventNote

COMPLETED = "Completed"
FAILED = "Failed"
SUSPENDED = "Suspended"
STARTUP_IN_PROGRESS = "StartupPolicyInProgress"
STARTUP_COMPLETED = "StartupPolicyCompleted"
RESTARTING = "RestartingJobSet"

_OPPOSITE = {STARTUP_IN_PROGRESS: STARTUP_COMPLETED, STARTUP_COMPLETED: STARTUP_IN_PROGRESS}


class Condition(NamedTuple):
    """A condition to set. ``event_type`` is of the event that tells of it."""

    type: str
    status: str
    reason: str
    message: str
    event_type: str = "Normal"


def is_finished(jobset: Object) -> bool:
    return conditions.is_true(jobset, COMPLETED) or conditions.is_true(jobset, FAILED)


def set_condition(jobset: Object, condition: Condition, now: datetime) -> EventNote | None:
    """Set ``condition`` in the status of ``jobset``, which changes; returns the event if that changed anything.

    The transition time stays where only reason or message are new, and a condition that is False is never introduced.
    Of the two startup conditions, setting one True turns the other's status, and nothing else of it, to False.
    """
    status = jobset.setdefault("status", {})
    present: list[Object] = status.get("conditions") or []
    old = conditions.find(present, condition.type)
    entry = {
        "type": condition.type,
        "status": condition.status,
        "reason": condition.reason,
        "message": condition.message,
        "lastTransitionTime": timestamps.to_text(now),
    }
    if old is None:
        if condition.status == "False":
            return None
        present = [*present, entry]
    else:
        if all(old.get(key) == entry[key] for key in ("status", "reason", "message")):
            return None
        if old["status"] == condition.status:
            entry["lastTransitionTime"] = old["lastTransitionTime"]
        present = [entry if one is old else one for one in present]
    if condition.status == "True" and (opposite := _OPPOSITE.get(condition.type)):
        present = [{**one, "status": "False"} if one["type"] == opposite else one for one in present]
    status["conditions"] = present
    return EventNote(jobset, condition.event_type, condition.reason, condition.message)
