"""Old jobs, as short as a test can say them."""

from __future__ import annotations

from typing import Any

from sidings.answers.conversion.finding import Finding
from sidings.api.objects import Object

TORCHRUN = ["torchrun", "train.py"]


def container(name: str = "pytorch", **fields: Any) -> Object:
    return {"name": name, "image": "img:1", "command": list(TORCHRUN), **fields}


def pods(count: int = 1, *containers: Object, pod: Object | None = None, **fields: Any) -> Object:
    spec = {"containers": list(containers) or [container()], **(pod or {})}
    return {"replicas": count, **fields, "template": {"spec": spec}}


def torch(roles: Object | None = None, metadata: Object | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": {"name": "old", **(metadata or {})},
        "spec": {"pytorchReplicaSpecs": roles or {"Master": pods(), "Worker": pods(2)}, **spec},
    }


def other(kind: str, name: str, field: str, **roles: int) -> Object:
    """A job of another framework, whose container is called ``name``; ``roles`` are numbers of pods."""
    specs = {role: pods(count, container(name, command=["python", "x.py"])) for role, count in roles.items()}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": "old"}, "spec": {field: specs}}


def fields_of(findings: list[Finding]) -> list[str]:
    """``lost spec.elasticPolicy``."""
    return [f"{finding.severity} {finding.field}" for finding in findings]
