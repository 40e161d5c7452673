"""Taint eviction: a pod leaves a node with a NoExecute taint that it does not tolerate, or not for longer.

Before it is deleted it gets the condition DisruptionTarget, which podFailurePolicy rules look at
(kube-controller-manager v1.36, ``pkg/controller/tainteviction``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import ClassVar

from sidings.api import timestamps
from sidings.api.conditions import find
from sidings.api.objects import Key, Object, is_deleting, name_of, uid_of
from sidings.api.resources import NODES, PODS, Resource
from sidings.api.status import NotFound
from sidings.api.tolerations import tolerated_seconds
from sidings.client.interface import PatchType
from sidings.controllers.runtime.controller import Controller, Mapper

DISRUPTION_TARGET = "DisruptionTarget"
DELETION_BY_TAINT_MANAGER = "DeletionByTaintManager"
MESSAGE = "Taint manager: deleting due to NoExecute taint"


def _node_of(pod: Object) -> Iterable[Key]:
    node = pod["spec"].get("nodeName")
    return (Key("", node),) if node else ()


def seconds_to_stay(pod: Object, taints: Iterable[Object], now: datetime) -> float | None:
    """How much longer ``pod`` may stay: 0 or less if it must go, None if it may stay."""
    stays = []
    for taint in taints:
        if taint["effect"] != "NoExecute":
            continue
        allowed = tolerated_seconds(pod["spec"].get("tolerations"), taint)
        if allowed is not None:
            added = taint.get("timeAdded")
            passed = (now - timestamps.from_text(added)).total_seconds() if added else 0.0
            stays.append(allowed - passed)
    return min(stays) if stays else None


class TaintEviction(Controller):
    """Keys are nodes."""

    name = "taint-eviction-controller"
    resource = NODES
    triggers: ClassVar[Mapping[Resource, Mapper]] = {PODS: _node_of}

    async def reconcile(self, key: Key) -> float | None:
        try:
            node = await self.client.get(NODES, key.name)
        except NotFound:
            return None
        taints = node["spec"].get("taints") or []
        if not taints:
            return None
        next_look: float | None = None
        now = self.clock.now()
        for pod in (await self.client.list(PODS, field_selector=f"spec.nodeName={key.name}")).items:
            stay = None if is_deleting(pod) else seconds_to_stay(pod, taints, now)
            if stay is None:
                continue
            if stay <= 0:
                await self._evict(pod)
            else:
                next_look = stay if next_look is None else min(next_look, stay)
        return next_look

    async def _evict(self, pod: Object) -> None:
        namespace, name = pod["metadata"]["namespace"], name_of(pod)
        if find((pod.get("status") or {}).get("conditions"), DISRUPTION_TARGET) is None:
            condition = disruption(DELETION_BY_TAINT_MANAGER, MESSAGE, timestamps.to_text(self.clock.now()))
            await self.client.patch(
                PODS,
                name,
                {"status": {"conditions": [condition]}},
                namespace=namespace,
                patch_type=PatchType.STRATEGIC,
                subresource="status",
                field_manager=self.name,
            )
        await self.client.delete(PODS, name, namespace, uid=uid_of(pod))


def disruption(reason: str, message: str, moment: str) -> Object:
    """The condition that tells a pod's owner that the pod did not fail by itself."""
    return {
        "type": DISRUPTION_TARGET,
        "status": "True",
        "reason": reason,
        "message": message,
        "lastTransitionTime": moment,
    }
