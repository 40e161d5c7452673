"""``ttlSecondsAfterFinished``: finished jobs that delete themselves.

Counted from ``completionTime``. A job that an exit code has ended has none upstream and never goes; here the moment of
its condition stands in.
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.training_operator import words
from sidings.controllers.training_operator.snapshot import Snapshot


def seconds_left(snapshot: Snapshot, now: datetime) -> float | None:
    """Until the finished job expires, not positive where it has; None where it never will."""
    ttl = snapshot.run_policy.get("ttlSecondsAfterFinished")
    if not isinstance(ttl, int):
        return None
    status = snapshot.job["status"]
    failed = conditions.find(status["conditions"], words.FAILED) or {}
    ended = status.get("completionTime") or failed["lastTransitionTime"]
    return ttl - (now - timestamps.from_text(ended)).total_seconds()
