"""``ttlSecondsAfterFinished``: finished JobSets that delete themselves (pkg/controllers/ttl_after_finished.go)."""

from __future__ import annotations

from datetime import datetime

from sidings.api import timestamps
from sidings.api.objects import Object, is_deleting
from sidings.controllers.jobset.jobset_conditions import COMPLETED, FAILED


def remaining(jobset: Object, now: datetime) -> float | None:
    """Seconds until a finished JobSet expires, not positive where it has; None where it never will as it is."""
    ttl = jobset["spec"].get("ttlSecondsAfterFinished")
    if ttl is None or is_deleting(jobset):
        return None
    for condition in jobset["status"]["conditions"]:
        if condition["type"] in (COMPLETED, FAILED) and condition["status"] == "True":
            finished = timestamps.from_text(condition["lastTransitionTime"])
            return float(ttl) - (now - finished).total_seconds()
    return None
