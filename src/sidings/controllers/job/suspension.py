"""``spec.suspend``: the Suspended condition and the clock of the Job (job_controller.go, 1.36).

A suspension clears ``status.startTime`` and a resumption sets it anew, so that ``activeDeadlineSeconds`` count only
from the last start. Removing the pods is ``scaling``'s part; they count neither as failed nor as succeeded.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import timestamps
from sidings.api.objects import Object
from sidings.controllers.job import job_conditions
from sidings.controllers.runtime.plan import EventNote

TYPE = "Suspended"


def start(job: Object, status: dict[str, Any], now: datetime) -> None:
    """Start the clock of a Job that may run and has not started; changes ``status``."""
    if not job["spec"].get("suspend") and not status.get("startTime"):
        status["startTime"] = timestamps.to_text(now)


def note(job: Object, status: dict[str, Any], now: datetime) -> list[EventNote]:
    """Bring the Suspended condition in line with the spec; changes ``status``. Returns what happened, if anything."""
    if job["spec"].get("suspend"):
        condition = job_conditions.new(TYPE, "True", "JobSuspended", "Job suspended", now)
        happened = EventNote(job, "Normal", "Suspended", "Job suspended")
    else:
        condition = job_conditions.new(TYPE, "False", "JobResumed", "Job resumed", now)
        happened = EventNote(job, "Normal", "Resumed", "Job resumed")
    present, changed = job_conditions.put(status.get("conditions") or [], condition)
    if not changed:
        return []
    status["conditions"] = present
    if job["spec"].get("suspend"):
        status.pop("startTime", None)
    else:
        status["startTime"] = timestamps.to_text(now)
    return [happened]
