"""``activeDeadlineSeconds``: how long a TrainJob may be active, counted anew after each resume."""

from __future__ import annotations

from datetime import datetime, timedelta

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.controllers.trainjob.status import SUSPENDED

MINIMUM_WAIT = 1.0
"""Seconds; upstream looks again no sooner."""


def deadline_of(job: Object) -> datetime | None:
    """When the time of ``job`` is up; None without a deadline and while it is suspended. Does not ask if it ended."""
    seconds = job["spec"].get("activeDeadlineSeconds")
    if not seconds or job["spec"].get("suspend"):
        return None
    start = job["metadata"]["creationTimestamp"]
    condition = conditions.find((job.get("status") or {}).get("conditions"), SUSPENDED)
    if condition is not None and condition["status"] == "False":
        start = condition["lastTransitionTime"]
    return timestamps.from_text(start) + timedelta(seconds=seconds)
