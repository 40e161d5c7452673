"""A JobSet as the API server stores it."""

from __future__ import annotations

from typing import Any

from sidings.api.kinds.jobset import KIND, SCHEMA
from sidings.api.objects import Object
from sidings.api.structural import defaulting


def group(
    name: str = "a", replicas: int = 1, *, mounts: tuple[str, ...] = (), pod: Object | None = None, **fields: Any
) -> Object:
    """A replicated job; ``fields`` of the Job's spec are ``job_*``, all others its own."""
    container: Object = {"name": "main", "image": "img:1"}
    if mounts:
        container["volumeMounts"] = [{"name": mount, "mountPath": f"/{mount}"} for mount in mounts]
    job_spec: Object = {
        "parallelism": 1,
        "completions": 1,
        "template": {"spec": {"containers": [container], "restartPolicy": "Never", **(pod or {})}},
    }
    job_spec |= {key.removeprefix("job_"): value for key, value in fields.items() if key.startswith("job_")}
    job_spec = {key: value for key, value in job_spec.items() if value is not None}
    own = {key: value for key, value in fields.items() if not key.startswith("job_")}
    return {"name": name, "replicas": replicas, "template": {"spec": job_spec}, **own}


def jobset(*groups: Object, name: str = "js", **spec: Any) -> Object:
    made: Object = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name, "namespace": "ns", "uid": "u"},
        "spec": {"replicatedJobs": list(groups) or [group()], **spec},
    }
    defaulting.default(SCHEMA, made)
    KIND.rules.default_on_create(made)
    return made
