"""CronJobs and their Jobs as tests of the plan need them."""

from datetime import datetime
from typing import Any

from sidings.api.objects import Object, controller_ref
from tests.api.cronjob.test_validation import cron_job

CREATED = "2026-11-30T12:00:30Z"


def at(text: str) -> datetime:
    """``12:05`` of the day."""
    return datetime.fromisoformat(f"2026-11-30T{text}Z")


def made(status: Object | None = None, **spec: Any) -> Object:
    cron = cron_job(**spec)
    cron |= {"apiVersion": "batch/v1", "kind": "CronJob", "status": status or {}}
    cron["metadata"]["creationTimestamp"] = CREATED
    return cron


def job(name: str, end: str = "", start: str = "12:01:00", **status: Any) -> Object:
    conditions = [{"type": end, "status": "True"}] if end else []
    metadata = {"name": name, "namespace": "default", "uid": name, "resourceVersion": "1"}
    metadata["ownerReferences"] = [controller_ref(made())]  # type: ignore[assignment]
    return {"metadata": metadata, "status": {"startTime": f"2026-11-30T{start}Z", "conditions": conditions, **status}}
