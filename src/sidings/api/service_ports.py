"""Ports of pods: those that a Service leads to, and those that pods take of their node."""

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


def host_ports(pod: Object) -> list[tuple[str, int, int]]:
    """(protocol, port of the node, port of the pod) that containers of ``pod`` ask for."""
    return [
        (protocol(port), int(port["hostPort"]), int(port["containerPort"]))
        for container in pod["spec"]["containers"]
        for port in container.get("ports") or ()
        if port.get("hostPort")
    ]
