"""Whether a pod is on this machine, where a command can look further than the API: told by its node's runtime."""

from __future__ import annotations

from sidings.answers.surroundings import Surroundings
from sidings.api.objects import Object

_SANDBOX, _ENGINES = "sidings", ("podman", "docker")
"""What nodes of an engine call their runtime; those of clusters say ``containerd`` or ``cri-o``."""


def is_here(pod: Object, around: Surroundings) -> bool:
    return _runtime(pod, around) in (_SANDBOX, *_ENGINES)


def container_engine(pod: Object, around: Surroundings) -> str:
    """``podman`` or ``docker`` where that runs the pod on this machine, else empty."""
    runtime = _runtime(pod, around)
    return runtime if runtime in _ENGINES else ""


def _runtime(pod: Object, around: Surroundings) -> str:
    node = around.find("Node", str(pod["spec"].get("nodeName") or "")) or {}
    version = str(((node.get("status") or {}).get("nodeInfo") or {}).get("containerRuntimeVersion") or "")
    return version.partition("://")[0]
