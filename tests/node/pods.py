"""Pod objects for the node's tests: the least that the API server would hand to a node."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object

UID = "11111111-2222-3333-4444-555555555555"


def pod(*containers: Object, name: str = "p", uid: str = UID, metadata: Object | None = None, **spec: Any) -> Object:
    """A pod bound to node-1 that is not restarted; ``spec`` adds to or overrides its spec."""
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "uid": uid, "resourceVersion": "1", **(metadata or {})},
        "spec": {
            "nodeName": "node-1",
            "restartPolicy": "Never",
            "containers": list(containers) or [container()],
            **spec,
        },
    }


def container(name: str = "c", **fields: Any) -> Object:
    return {"name": name, "image": "example.com/image:1", **fields}


def service(name: str, selector: dict[str, str], *, at_once: bool = True) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default", "uid": f"service-{name}"},
        "spec": {"clusterIP": "None", "selector": selector, "publishNotReadyAddresses": at_once},
    }
