"""A Job as a user sends it, and as the API server stores it."""

from __future__ import annotations

from typing import Any

from sidings.api.kinds.job import KIND
from sidings.api.objects import Object


def sent(*, labels: dict[str, str] | None = None, pod_labels: dict[str, str] | None = None, **spec: Any) -> Object:
    template: Object = {"spec": {"containers": [{"name": "main", "image": "img:1"}], "restartPolicy": "Never"}}
    if pod_labels:
        template["metadata"] = {"labels": pod_labels}
    metadata: Object = {"name": "j", "namespace": "ns", "uid": "u"}
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": template, **spec}}


def stored(**fields: Any) -> Object:
    job = sent(**fields)
    KIND.rules.default(job)
    KIND.rules.default_on_create(job)
    return job
