"""Finished Jobs that a CronJob does not keep: the oldest beyond ``successfulJobsHistoryLimit`` and the failed one's."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api import conditions, objects
from sidings.api.objects import Object

_LIMITS = (("successfulJobsHistoryLimit", "Complete"), ("failedJobsHistoryLimit", "Failed"))


def superfluous(cron_job: Object, jobs: Sequence[Object]) -> list[Object]:
    """Oldest first, by start and name; those being deleted count, and are not deleted again."""
    found = []
    for field, end in _LIMITS:
        limit = cron_job["spec"].get(field)
        ended = sorted((job for job in jobs if conditions.is_true(job, end)), key=_age)
        if limit is not None:
            found += [job for job in ended[: max(len(ended) - limit, 0)] if not objects.is_deleting(job)]
    return found


def _age(job: Object) -> tuple[bool, str, str]:
    """Jobs that never started come last."""
    start = (job.get("status") or {}).get("startTime") or ""
    return not start, start, objects.name_of(job)
