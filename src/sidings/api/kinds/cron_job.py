"""CronJob (``batch/v1``): Jobs by a schedule. The rules are in ``api/cronjob``."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import age, schemas
from sidings.api.cronjob import validation
from sidings.api.fields import FieldError
from sidings.api.job.defaults import default_patterns
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.kinds.pod_spec import default_pod_spec
from sidings.api.objects import Object
from sidings.api.resources import CRON_JOBS


class CronJobRules(Rules):
    """Of the Job in the template only the pod has defaults: a Job gets its own when it is made, as upstream's does."""

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        for name, value in (
            ("concurrencyPolicy", "Allow"),
            ("suspend", False),
            ("successfulJobsHistoryLimit", 3),
            ("failedJobsHistoryLimit", 1),
        ):
            if spec.get(name) in (None, ""):
                spec[name] = value
        job = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
        default_pod_spec(job.setdefault("template", {}).setdefault("spec", {}))
        default_patterns(job)

    def default_on_create(self, obj: Object) -> None:
        obj["status"] = {}

    def validate(self, obj: Object) -> list[FieldError]:
        return validation.errors(obj)

    def validate_create(self, obj: Object) -> list[FieldError]:
        return validation.name_errors(obj)


def _of_containers(name: str) -> Any:
    def cell(cron_job: Object, now: datetime) -> str:
        containers = cron_job["spec"]["jobTemplate"]["spec"]["template"]["spec"].get("containers") or ()
        return ",".join(container.get(name) or "" for container in containers)

    return cell


def _last_schedule(cron_job: Object, now: datetime) -> str:
    last = (cron_job.get("status") or {}).get("lastScheduleTime")
    return age.since(last, now) if last else columns.NONE


def _selector(cron_job: Object, now: datetime) -> str:
    selector = cron_job["spec"]["jobTemplate"]["spec"].get("selector") or {}
    return columns.selector_text(selector.get("matchLabels"))


KIND = Kind(
    resource=CRON_JOBS,
    singular="cronjob",
    schema=schemas.schema(CRON_JOBS.group, CRON_JOBS.version, CRON_JOBS.kind),
    builtin=True,
    rules=CronJobRules(),
    short_names=("cj",),
    categories=("all",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Schedule", cell=columns.field("spec", "schedule"), description="When it is due."),
        Column(
            "Timezone", cell=columns.field("spec", "timeZone", missing=columns.NONE), description="The schedule's zone."
        ),
        Column(
            "Suspend",
            type="boolean",
            cell=lambda obj, now: str(bool(obj["spec"].get("suspend"))),
            description="Whether it rests.",
        ),
        Column(
            "Active",
            type="integer",
            cell=lambda obj, now: len((obj.get("status") or {}).get("active") or ()),
            description="Jobs that run.",
        ),
        Column("Last Schedule", cell=_last_schedule, description="Time since a Job was made by the schedule."),
        columns.AGE,
        Column("Containers", cell=_of_containers("name"), priority=1, description="Names of the containers."),
        Column("Images", cell=_of_containers("image"), priority=1, description="Images of the containers."),
        Column(
            "Selector", cell=_selector, priority=1, description="Labels of the pods, where the template gives them."
        ),
    ),
)
