"""What makes a CronJob invalid (``ValidateCronJobCreate`` in pkg/apis/batch/validation, Kubernetes 1.36)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sidings.api import fields, objects
from sidings.api.cronjob import schedule
from sidings.api.fields import FieldError
from sidings.api.job import defaults as job_defaults
from sidings.api.job import validation as job_validation
from sidings.api.objects import Object

LONGEST_NAME = 52
"""The Jobs' names have eleven characters more, of 63."""
CONCURRENCY_POLICIES = ("Allow", "Forbid", "Replace")
_ZONE_PART = re.compile(r"(?!-)[A-Za-z._0-9+-]{1,14}")
"""Of a zone's name between slashes; neither ``.`` nor ``..``."""


def errors(cron_job: Object) -> list[FieldError]:
    """Every broken rule of a CronJob that has its defaults."""
    spec = cron_job["spec"]
    return [
        *_schedule(spec),
        *_number(spec, "startingDeadlineSeconds"),
        *_time_zone(spec),
        *_concurrency(spec),
        *_job(spec),
        *_number(spec, "successfulJobsHistoryLimit"),
        *_number(spec, "failedJobsHistoryLimit"),
    ]


def name_errors(cron_job: Object) -> list[FieldError]:
    """On creation only: a longer name cannot be mended afterwards."""
    name = cron_job["metadata"].get("name") or ""
    if len(name) <= LONGEST_NAME:
        return []
    return [fields.invalid("metadata.name", name, f"must be no more than {LONGEST_NAME} bytes")]


def zone(name: str) -> ZoneInfo:
    """The IANA time zone ``name``. Raises ``ValueError`` with Go's message."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name}") from None


def _schedule(spec: Object) -> Iterator[FieldError]:
    text = spec.get("schedule") or ""
    if not text:
        yield fields.required("spec.schedule")
        return
    if "TZ" in text:
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield fields.invalid("spec.schedule", text, detail)
        return
    try:
        schedule.parse(text)
    except ValueError as error:
        yield fields.invalid("spec.schedule", text, str(error))


def _number(spec: Object, name: str) -> Iterator[FieldError]:
    if spec.get(name) is not None and spec[name] < 0:
        yield fields.invalid(f"spec.{name}", spec[name], "must be greater than or equal to 0")


def _time_zone(spec: Object) -> Iterator[FieldError]:
    name = spec.get("timeZone")
    if name is None:
        return
    if not name:
        yield fields.invalid("spec.timeZone", name, "timeZone must be nil or non-empty string")
        return
    if any(part in (".", "..") or not _ZONE_PART.fullmatch(part) for part in name.split("/")):
        yield fields.invalid("spec.timeZone", name, f"unknown time zone {name}")
        return
    if name.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield fields.invalid("spec.timeZone", name, detail)
        return
    try:
        zone(name)
    except ValueError as error:
        yield fields.invalid("spec.timeZone", name, str(error))


def _concurrency(spec: Object) -> Iterator[FieldError]:
    policy = spec.get("concurrencyPolicy")
    if not policy:
        yield fields.required("spec.concurrencyPolicy")
    elif policy not in CONCURRENCY_POLICIES:
        yield fields.not_supported("spec.concurrencyPolicy", policy, CONCURRENCY_POLICIES)


def _job(spec: Object) -> Iterator[FieldError]:
    """The rules of the Job that the template would become; its selector is made for each Job."""
    path = "spec.jobTemplate.spec"
    job: Object = {"metadata": {}, "spec": objects.copy_of(spec["jobTemplate"].get("spec") or {})}
    job_defaults.apply(job)
    for error in job_validation.template_errors(job["spec"]):
        yield error._replace(field=error.field.replace("spec", path, 1))
    if job["spec"].get("selector") is not None:
        yield fields.invalid(f"{path}.selector", job["spec"]["selector"], "`selector` will be auto-generated")
    if job["spec"].get("manualSelector"):
        yield fields.not_supported(f"{path}.manualSelector", True, ("nil", "false"))
