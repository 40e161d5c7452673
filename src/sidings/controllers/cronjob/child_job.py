"""The Job of one time of the schedule. Its name is that time, so that no time can have two."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

from sidings.api import objects, timestamps
from sidings.api.objects import Object
from sidings.api.resources import JOBS

SCHEDULED_TIMESTAMP = "batch.kubernetes.io/cronjob-scheduled-timestamp"


def job_for(cron_job: Object, time: datetime, zone: ZoneInfo) -> Object:
    """The user's template with the time as annotation, in the zone of the schedule."""
    template = objects.copy_of(cron_job["spec"]["jobTemplate"])
    declared = template.get("metadata") or {}
    moment = time.astimezone(zone).isoformat(timespec="seconds").replace("+00:00", "Z")
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.kind,
        "metadata": {
            "name": f"{objects.name_of(cron_job)}-{int(time.timestamp()) // 60}",
            "namespace": objects.namespace_of(cron_job),
            "labels": dict(declared.get("labels") or {}),
            "annotations": {**(declared.get("annotations") or {}), SCHEDULED_TIMESTAMP: moment},
            "ownerReferences": [objects.controller_ref(cron_job)],
        },
        "spec": template["spec"],
    }


def scheduled_time(job: Object) -> datetime | None:
    """The time of the schedule for which ``job`` was made; None where a user made it, or wrote something else there."""
    try:
        return timestamps.from_text(objects.annotations_of(job).get(SCHEDULED_TIMESTAMP) or "")
    except ValueError:
        return None


def reference(job: Object) -> Object:
    """How ``status.active`` names a Job."""
    metadata = job["metadata"]
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.kind,
        "name": metadata["name"],
        "namespace": metadata["namespace"],
        "resourceVersion": metadata["resourceVersion"],
        "uid": metadata["uid"],
    }
