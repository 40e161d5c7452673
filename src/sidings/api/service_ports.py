"""Which port of a pod a port of a Service leads to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api.objects import Object


def protocol(port: Mapping[str, Any]) -> str:
    """Of a port of a Service or of a container."""
    return str(port.get("protocol") or "TCP")


def target_port(port: Mapping[str, Any], pod: Object) -> int | None:
    """The number of ``targetPort`` in ``pod``; None for a name that no container port of the protocol has."""
    target = port.get("targetPort") or port["port"]
    if isinstance(target, int):
        return target
    for container in pod["spec"]["containers"]:
        for stated in container.get("ports") or ():
            if stated.get("name") == target and protocol(stated) == protocol(port):
                return int(stated["containerPort"])
    return None
