"""A pod stays off nodes with a NoSchedule or NoExecute taint that it does not tolerate."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.tolerations import BLOCKING_EFFECTS, tolerates
from sidings.controllers.scheduler.snapshot import NodeState


def reasons(pod: Object, state: NodeState) -> list[str]:
    for taint in state.node.get("spec", {}).get("taints") or ():
        if taint["effect"] in BLOCKING_EFFECTS and not tolerates(pod["spec"].get("tolerations"), taint):
            return [f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value') or ''}}}"]
    return []
