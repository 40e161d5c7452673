"""The pods that a Job creates from its template (pkg/controller/job/indexed_job_utils.go, 1.36)."""

from __future__ import annotations

from typing import Any

from sidings.api import objects
from sidings.api.job import labels
from sidings.api.objects import Object

LONGEST_PREFIX = 58
"""Of a generated name: 63 characters without the five random ones."""

_INDEX_ENV = {
    "name": labels.COMPLETION_INDEX_ENV,
    "valueFrom": {"fieldRef": {"fieldPath": f"metadata.labels['{labels.COMPLETION_INDEX}']"}},
}


def pod_for(job: Object, index: int | None = None, annotations: dict[str, str] | None = None) -> Object:
    """A pod of ``job``; of its completion ``index`` where it is Indexed, with ``annotations`` besides its own."""
    template = objects.copy_of(job["spec"]["template"])
    declared = template.get("metadata") or {}
    name = objects.name_of(job)
    metadata: dict[str, Any] = {
        "generateName": f"{name}-",
        "namespace": objects.namespace_of(job),
        "labels": dict(declared.get("labels") or {}),
        "annotations": {**(declared.get("annotations") or {}), **(annotations or {})},
        "finalizers": [*(declared.get("finalizers") or ()), labels.TRACKING_FINALIZER],
        "ownerReferences": [objects.controller_ref(job)],
    }
    spec = template["spec"]
    if index is not None:
        suffix = f"-{index}-"
        metadata["generateName"] = name[: LONGEST_PREFIX - len(suffix)] + suffix
        metadata["labels"][labels.COMPLETION_INDEX] = str(index)
        metadata["annotations"][labels.COMPLETION_INDEX] = str(index)
        spec["hostname"] = f"{name}-{index}"
        for container in [*(spec.get("initContainers") or ()), *(spec.get("containers") or ())]:
            _tell_index(container)
    if not metadata["annotations"]:
        del metadata["annotations"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _tell_index(container: Object) -> None:
    """Add ``JOB_COMPLETION_INDEX`` unless the user defined it."""
    env = container.get("env") or []
    if not any(variable.get("name") == labels.COMPLETION_INDEX_ENV for variable in env):
        container["env"] = [*env, objects.copy_of(_INDEX_ENV)]
