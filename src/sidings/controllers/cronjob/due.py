"""Which time of the schedule still waits for its Job.

Of several that were missed (the engine was down, the CronJob suspended) only the last is made up for, and only within
``startingDeadlineSeconds``. Upstream is silent about one that came too late to be started; here an event tells.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sidings.api import timestamps
from sidings.api.cronjob.schedule import Schedule
from sidings.api.objects import Object

MANY_MISSED = 100
REQUEUE_AFTER_DUE = 0.1
"""Seconds after the time of the schedule at which the next look is taken (``nextScheduleDelta``)."""


class Due(NamedTuple):
    """``time`` waits for its Job; None where nothing does."""

    time: datetime | None
    too_late: datetime | None
    """A time that may not be made up for any more."""
    many_missed: bool
    next_look: float | None
    """Seconds until the schedule is due again; None where it never will be."""


def find(status: Object, cron_job: Object, schedule: Schedule, since: datetime | None, now: datetime) -> Due:
    """``status`` is the newest there is; what another schedule asked for before ``since`` does not count."""
    last = status.get("lastScheduleTime")
    earliest = timestamps.from_text(last or cron_job["metadata"]["creationTimestamp"])
    if since is not None:
        earliest = max(earliest, since)
    deadline = cron_job["spec"].get("startingDeadlineSeconds")
    latest = schedule.latest(earliest, now)
    too_late = latest is not None and deadline is not None and latest + timedelta(seconds=deadline) < now
    following = schedule.next(latest or earliest)
    first = earliest if deadline is None else max(earliest, now - timedelta(seconds=deadline))
    return Due(
        time=None if too_late else latest,
        too_late=latest if too_late else None,
        many_missed=latest is not None and _many(schedule, first, latest),
        next_look=(following - now).total_seconds() + REQUEUE_AFTER_DUE if following is not None else None,
    )


def _many(schedule: Schedule, first: datetime, latest: datetime) -> bool:
    moment: datetime | None = first
    for _ in range(MANY_MISSED + 1):
        moment = schedule.next(moment) if moment is not None else None
        if moment is None or moment > latest:
            return False
    return True
