"""The terminal sequence: an interim condition, the end of all pods, the final condition (KEP-3939 and KEP-3998).

``FailureTarget`` and ``SuccessCriteriaMet`` say how the Job will end; ``Failed`` and ``Complete`` follow, with the same
reason and message, once no pod is terminating and every end is counted. Others, JobSet among them, look at the final
conditions only.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.controllers.job import job_conditions
from sidings.controllers.job.verdict import FAILURE_TARGET, Verdict
from sidings.controllers.runtime.plan import EventNote


def announce(verdict: Verdict, status: dict[str, Any], now: datetime) -> bool:
    """Add the interim condition to ``status``; False if it was there."""
    condition = job_conditions.new(verdict.type, "True", verdict.reason, verdict.message, now)
    present = status.get("conditions") or []
    if conditions.find(present, verdict.type) is not None:
        return False
    status["conditions"] = [*present, condition]
    return True


TOO_MANY = "Too many succeeded pods running after completion count reached"


def finish(job: Object, verdict: Verdict, status: dict[str, Any], now: datetime) -> list[EventNote]:
    """Add the final condition to ``status``, which has its numbers; returns the events that tell of it."""
    failed = verdict.type == FAILURE_TARGET
    final = job_conditions.new("Failed" if failed else "Complete", "True", verdict.reason, verdict.message, now)
    status["conditions"], _ = job_conditions.put(status.get("conditions") or [], final)
    if failed:
        return [EventNote(job, "Warning", verdict.reason, verdict.message)]
    # Where the clock was set back meanwhile, now is before the start; the API server would refuse that.
    status["completionTime"] = max(timestamps.to_text(now), status.get("startTime") or "")
    notes = [EventNote(job, "Normal", "Completed", "Job completed")]
    completions = job["spec"].get("completions")
    if completions is not None and int(status.get("succeeded") or 0) > completions:
        notes.insert(0, EventNote(job, "Warning", "TooManySucceededPods", TOO_MANY))
    return notes
