"""A node that stops reporting becomes Unknown and is tainted; one that reports again is cleared.

Times and words of kube-controller-manager v1.36 (``pkg/controller/nodelifecycle``).
"""

from __future__ import annotations

from datetime import datetime

from sidings.api import timestamps
from sidings.api.conditions import find
from sidings.api.objects import Key, Object, copy_of
from sidings.api.resources import NODES
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller

GRACE_SECONDS = 50.0
"""``--node-monitor-grace-period``."""
UNREACHABLE = "node.kubernetes.io/unreachable"
NOT_READY = "node.kubernetes.io/not-ready"
STATUS_UNKNOWN = "NodeStatusUnknown"
STATUS_UNKNOWN_MESSAGE = "Kubelet stopped posting node status."


def seconds_left(node: Object, now: datetime) -> float | None:
    """Seconds until the node counts as silent (0 or less: it does); None for one that never reported."""
    ready = find((node.get("status") or {}).get("conditions"), "Ready")
    if ready is None or not ready.get("lastHeartbeatTime"):
        return None
    silent = (now - timestamps.from_text(ready["lastHeartbeatTime"])).total_seconds()
    return GRACE_SECONDS - silent


def silenced(node: Object, moment: str) -> Object | None:
    """``node`` with all its conditions Unknown; None where they are."""
    conditions = (node.get("status") or {}).get("conditions") or []
    if all(condition["status"] == "Unknown" for condition in conditions):
        return None
    changed: Object = copy_of(node)
    for condition in changed["status"]["conditions"]:
        if condition["status"] != "Unknown":
            condition |= {
                "status": "Unknown",
                "reason": STATUS_UNKNOWN,
                "message": STATUS_UNKNOWN_MESSAGE,
                "lastTransitionTime": moment,
            }
    return changed


def wanted_taints(node: Object, moment: str) -> list[Object]:
    """The node's taints with ours as its Ready condition asks for them, others untouched."""
    ready = find((node.get("status") or {}).get("conditions"), "Ready")
    key = {"Unknown": UNREACHABLE, "False": NOT_READY}.get(ready["status"] if ready else "False", "")
    present = node["spec"].get("taints") or []
    kept = [taint for taint in present if taint["key"] not in (UNREACHABLE, NOT_READY) or taint["key"] == key]
    if key:
        for effect in ("NoSchedule", "NoExecute"):
            if not any(taint["key"] == key and taint["effect"] == effect for taint in kept):
                taint: Object = {"key": key, "effect": effect}
                kept.append(taint | {"timeAdded": moment} if effect == "NoExecute" else taint)
    return kept


class NodeLifeCycle(Controller):
    """Watches heartbeats."""

    name = "node-controller"
    resource = NODES

    async def reconcile(self, key: Key) -> float | None:
        try:
            node = await self.client.get(NODES, key.name)
        except NotFound:
            return None
        moment = timestamps.to_text(self.clock.now())
        left = seconds_left(node, self.clock.now())
        if left is not None and left <= 0:
            changed = silenced(node, moment)
            if changed is not None:
                node = await self.client.update(NODES, changed, subresource="status", field_manager=self.name)
        taints = wanted_taints(node, moment)
        if taints != (node["spec"].get("taints") or []):
            tainted = copy_of(node)
            tainted["spec"]["taints"] = taints
            await self.client.update(NODES, tainted, field_manager=self.name)
        return max(left, 1.0) if left is not None else None
