"""One pass of the CronJob controller as a pure function (``syncCronJob``, 1.36)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any
from zoneinfo import ZoneInfo

from sidings.api import conditions, objects, timestamps
from sidings.api.cronjob import schedule as schedules
from sidings.api.cronjob import validation
from sidings.api.objects import Object
from sidings.controllers.cronjob import child_job, due, history
from sidings.controllers.runtime.plan import EventNote


@dataclass
class CronJobPlan:
    """Everything that one pass wants done, in the order of its fields."""

    delete: list[Object] = field(default_factory=list)
    create: Object | None = None
    time: datetime | None = None
    """The time of the schedule for which ``create`` is made."""
    status: dict[str, Any] = field(default_factory=dict)
    """The new status, without ``create``."""
    events: list[EventNote] = field(default_factory=list)
    requeue_after: float | None = None


def plan(cron_job: Object, jobs: Sequence[Object], since: datetime | None, now: datetime) -> CronJobPlan:
    """``jobs`` are those that it controls; ``since`` is when its schedule was last changed, where that is known."""
    result = CronJobPlan(status=objects.copy_of(cron_job.get("status") or {}))
    _follow_jobs(cron_job, jobs, result)
    if not objects.is_deleting(cron_job) and not cron_job["spec"].get("suspend"):
        _start(cron_job, jobs, result, since, now)
    result.delete += history.superfluous(cron_job, jobs)
    for job in result.delete:
        result.events.append(EventNote(cron_job, "Normal", "SuccessfulDelete", f"Deleted job {objects.name_of(job)}"))
    if not result.status.get("active"):
        result.status.pop("active", None)
    return result


def ending(job: Object) -> str:
    """``Complete``, ``Failed`` or ``""``."""
    return next((type_ for type_ in ("Complete", "Failed") if conditions.is_true(job, type_)), "")


def _follow_jobs(cron_job: Object, jobs: Sequence[Object], result: CronJobPlan) -> None:
    """Bring ``status.active`` in line with the Jobs, and note the last success.

    A Job of the schedule whose making was not noted, because of a crash, is noted now (upstream calls it unexpected and
    might start another beside it); one that a user made from the CronJob stays outside.
    """
    active = {reference["uid"]: reference for reference in result.status.get("active") or ()}
    successes = [result.status["lastSuccessfulTime"]] if result.status.get("lastSuccessfulTime") else []
    for job in jobs:
        uid, name, end = objects.uid_of(job), objects.name_of(job), ending(job)
        if not end and uid not in active and (time := child_job.scheduled_time(job)):
            active[uid] = child_job.reference(job)
            last = result.status.get("lastScheduleTime")
            if last is None or time > timestamps.from_text(last):
                result.status["lastScheduleTime"] = timestamps.to_text(time)
        elif not end and uid not in active:
            message = f"Saw a job that the controller did not create or forgot: {name}"
            result.events.append(EventNote(cron_job, "Warning", "UnexpectedJob", message))
        elif end and active.pop(uid, None):
            message = f"Saw completed job: {name}, condition: {end}"
            result.events.append(EventNote(cron_job, "Normal", "SawCompletedJob", message))
        if end == "Complete" and job["status"].get("completionTime"):
            successes.append(job["status"]["completionTime"])
    present = {objects.uid_of(job) for job in jobs}
    for uid in [uid for uid in active if uid not in present]:
        message = f"Active job went missing: {active.pop(uid)['name']}"
        result.events.append(EventNote(cron_job, "Normal", "MissingJob", message))
    result.status["active"] = list(active.values())
    if successes:
        result.status["lastSuccessfulTime"] = max(successes, key=timestamps.from_text)


def _start(
    cron_job: Object, jobs: Sequence[Object], result: CronJobPlan, since: datetime | None, now: datetime
) -> None:
    spec = cron_job["spec"]
    try:
        zone = validation.zone(spec["timeZone"]) if spec.get("timeZone") else ZoneInfo("UTC")
    except ValueError as error:
        message = f'invalid timeZone: "{spec["timeZone"]}": {error}'
        result.events.append(EventNote(cron_job, "Warning", "UnknownTimeZone", message))
        return
    found = due.find(result.status, cron_job, schedules.parse(spec["schedule"], zone), since, now)
    result.requeue_after = found.next_look
    if found.too_late is not None:
        message = f"Missed scheduled time to start a job: {format_datetime(found.too_late.astimezone(UTC))}"
        result.events.append(EventNote(cron_job, "Warning", "MissSchedule", message))
    if found.many_missed:
        message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
        result.events.append(EventNote(cron_job, "Warning", "TooManyMissedTimes", message))
    if found.time is None:
        return
    active = {reference["uid"] for reference in result.status["active"]}
    if active and spec["concurrencyPolicy"] == "Forbid":
        message = "Not starting job because prior execution is running and concurrency policy is Forbid"
        result.events.append(EventNote(cron_job, "Normal", "JobAlreadyActive", message))
        return
    if spec["concurrencyPolicy"] == "Replace":
        result.delete += [job for job in jobs if objects.uid_of(job) in active]
        result.status["active"] = []
    result.create = child_job.job_for(cron_job, found.time, zone)
    result.time = found.time
