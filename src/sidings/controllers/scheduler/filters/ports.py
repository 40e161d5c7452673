"""A host port belongs to one pod of a node. In the node's network every port of a container is one."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.controllers.scheduler.snapshot import NodeState, host_ports_of

REASON = "node(s) didn't have free ports for the requested pod ports"


def reasons(pod: Object, state: NodeState) -> list[str]:
    return [REASON] if state.ports and state.ports & host_ports_of(pod) else []
