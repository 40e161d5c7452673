"""The node must have enough of every resource that the pod requests."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.controllers.scheduler.snapshot import PODS, NodeState, requests_of

TOO_MANY_PODS = "Too many pods"


def reasons(pod: Object, state: NodeState) -> list[str]:
    short = [name for name, amount in requests_of(pod).items() if amount > 0 and amount > state.free(name)]
    return [TOO_MANY_PODS if name == PODS else f"Insufficient {name}" for name in sorted(short)]
