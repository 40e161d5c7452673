"""``spec.nodeSelector``: every label must be on the node, with that value."""

from __future__ import annotations

from sidings.api.objects import Object, labels_of
from sidings.controllers.scheduler.snapshot import NodeState

REASON = "node(s) didn't match Pod's node affinity/selector"


def reasons(pod: Object, state: NodeState) -> list[str]:
    labels = labels_of(state.node)
    wanted = pod["spec"].get("nodeSelector") or {}
    return [] if all(labels.get(key) == value for key, value in wanted.items()) else [REASON]
