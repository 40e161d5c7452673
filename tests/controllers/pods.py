"""Pods and nodes for tests, as short as a test can say them."""

from typing import Any

from sidings.api.objects import Object

CREATED = "2026-01-01T00:00:00Z"


def pod(
    name: str = "p", *, requests: dict[str, str] | None = None, node: str = "", phase: str = "", **spec: Any
) -> Object:
    resources = {"requests": requests, "limits": requests} if requests else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}", "creationTimestamp": CREATED},
        "spec": {
            "containers": [{"name": "c", "image": "i", "resources": resources}],
            **({"nodeName": node} if node else {}),
            **spec,
        },
        "status": {"phase": phase} if phase else {},
    }


def node(
    name: str, *, labels: dict[str, str] | None = None, taints: list[Object] | None = None, **allocatable: str
) -> Object:
    """``allocatable`` is cpu, memory, and gpu for nvidia.com/gpu; pods default to 110."""
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"} | {
        {"gpu": "nvidia.com/gpu"}.get(key, key): value for key, value in allocatable.items()
    }
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"uid-{name}", "labels": labels or {}},
        "spec": {"taints": taints} if taints else {},
        "status": {"allocatable": amounts, "capacity": amounts},
    }
