"""Jobs and pods for tests, as the API server would have stored them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sidings.api import objects, timestamps
from sidings.api.job import labels
from sidings.api.kinds.job import KIND
from sidings.api.objects import Object

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


def at(seconds: float) -> str:
    """The time ``seconds`` after ``NOW``."""
    return timestamps.to_text(NOW + timedelta(seconds=seconds))


def make_job(*, status: Object | None = None, restart_policy: str = "Never", **spec: Any) -> Object:
    """A Job ``j`` with uid ``job-uid``; Indexed where ``completions`` are given and nothing else is said."""
    if "completions" in spec:
        spec.setdefault("completionMode", "Indexed")
        spec.setdefault("parallelism", spec["completions"])
    template = {"spec": {"containers": [{"name": "main", "image": "img:1"}], "restartPolicy": restart_policy}}
    job: Object = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "ns", "uid": "job-uid", "resourceVersion": "1"},
        "spec": {"template": template, **spec},
    }
    KIND.rules.default(job)
    KIND.rules.default_on_create(job)
    job["status"] = status or {}
    return job


def running_job(*, status: Object | None = None, **spec: Any) -> Object:
    """A Job that has started."""
    return make_job(status={"startTime": at(-60), **(status or {})}, **spec)


def make_pod(
    index: int | None = None,
    phase: str = "Running",
    *,
    uid: str = "",
    ready: bool = False,
    ended: float | None = None,
    exit_code: int = 1,
    restarts: int = 0,
    deleting: bool = False,
    tracked: bool = True,
    annotations: dict[str, str] | None = None,
    conditions: list[Object] | None = None,
    created: float = -50,
    node: str = "node-1",
) -> Object:
    """A pod of ``make_job``; ``ended`` is when its container ended, in seconds after ``NOW``."""
    uid = uid or f"pod-{index if index is not None else 'x'}"
    state: Object = {"running": {"startedAt": at(-40)}}
    if phase in ("Succeeded", "Failed"):
        code = 0 if phase == "Succeeded" else exit_code
        state = {"terminated": {"exitCode": code, "finishedAt": at(ended or 0)}}
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": uid,
            "namespace": "ns",
            "uid": uid,
            "creationTimestamp": at(created),
            "annotations": dict(annotations or {}),
            "finalizers": [labels.TRACKING_FINALIZER] if tracked else [],
            "ownerReferences": [objects.controller_ref(make_job())],
        },
        "spec": {"containers": [{"name": "main"}], "nodeName": node},
        "status": {
            "phase": phase,
            "conditions": [{"type": "Ready", "status": str(ready)}, *(conditions or ())],
            "containerStatuses": [{"name": "main", "restartCount": restarts, "state": state}],
        },
    }
    if index is not None:
        pod["metadata"]["annotations"][labels.COMPLETION_INDEX] = str(index)
    if deleting:
        pod["metadata"] |= {"deletionTimestamp": at(30), "deletionGracePeriodSeconds": 30}
    return pod
