"""A cordoned node takes no new pods, except those that tolerate it."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.tolerations import tolerates
from sidings.controllers.scheduler.snapshot import NodeState

REASON = "node(s) were unschedulable"
TAINT: Object = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


def reasons(pod: Object, state: NodeState) -> list[str]:
    if not state.node.get("spec", {}).get("unschedulable"):
        return []
    return [] if tolerates(pod["spec"].get("tolerations"), TAINT) else [REASON]
