"""``ttlSecondsAfterFinished``: finished JobSets that delete themselves (pkg/controllers/ttl_after_finished.go)."""

from __future__ import annotations

from datetime import datetime

from sidings.api import timestamps
from sidings.api.objects import Object, is_deleting, name_of, namespace_of
from sidings.controllers.jobset.jobset_conditions import COMPLETED, FAILED

ZERO_YEAR = 1
"""Of ``0001-01-01T00:00:00Z``, a ``metav1.Time`` that was never set."""


class UnknownEnd(ValueError):
    """The JobSet has ended at Go's zero time, which says that nobody knows when: it must not expire."""

    def __init__(self, jobset: Object) -> None:
        place = f"{namespace_of(jobset)}/{name_of(jobset)}"
        super().__init__(f"error checking if ttl expired: unable to find the time when the JobSet {place} finished")


def remaining(jobset: Object, now: datetime) -> float | None:
    """Seconds until a finished JobSet expires, not positive where it has; None where it never will as it is.

    Raises ``UnknownEnd``.
    """
    ttl = jobset["spec"].get("ttlSecondsAfterFinished")
    if ttl is None or is_deleting(jobset):
        return None
    for condition in jobset["status"]["conditions"]:
        if condition["type"] in (COMPLETED, FAILED) and condition["status"] == "True":
            finished = timestamps.from_text(condition["lastTransitionTime"])
            if finished.year == ZERO_YEAR:
                raise UnknownEnd(jobset)
            return float(ttl) - (now - finished).total_seconds()
    return None
