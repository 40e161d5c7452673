"""Pods that no node will ever end are failed, then removed (kube-controller-manager v1.36, ``podgc``).

Those are pods whose node does not exist any more, and pods that were deleted before they had one but are kept by a
finalizer. A Job waits for the end of its pods, and nobody else would bring it about.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import timestamps
from sidings.api.objects import Key, Object, copy_of, is_deleting, key_of, name_of, uid_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import NODES, PODS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.nodes.eviction import disruption
from sidings.controllers.runtime.controller import Controller, Mapper

DELETION_BY_POD_GC = "DeletionByPodGC"
MESSAGE = "PodGC: node no longer exists"
QUARANTINE_SECONDS = 40.0
"""From the first sight of a pod of a node that is not there; it may be made anew. Upstream waits as long."""


def _node(node: Object) -> Iterable[Key]:
    return (Key("", name_of(node)),)


class PodCollector(Controller):
    """Keys are pods, and nodes, which have no namespace: heartbeats are many, nodes that come or go are few."""

    name = "pod-garbage-collector"
    resource = PODS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {NODES: _node}

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._missing: dict[str, float] = {}
        """When a node was missed first, by its name."""

    def keys(self, obj: Object) -> Iterable[Key]:
        return super().keys(obj) if obj["spec"].get("nodeName") or is_deleting(obj) else ()

    async def reconcile(self, key: Key) -> float | None:
        if not key.namespace:
            if not await self._exists(key.name):
                for pod in (await self.client.list(PODS, field_selector=f"spec.nodeName={key.name}")).items:
                    self.queue.add(key_of(pod))
            return None
        try:
            pod = await self.client.get(PODS, key.name, key.namespace)
            node = pod["spec"].get("nodeName")
        except NotFound:
            return None
        if not node:
            if is_deleting(pod):
                await self._remove(pod)
            return None
        if await self._exists(node):
            return None
        since = self._missing.setdefault(node, self.clock.monotonic())
        left = since + QUARANTINE_SECONDS - self.clock.monotonic()
        if left > 0:
            return left
        await self._remove(pod, disruption(DELETION_BY_POD_GC, MESSAGE, timestamps.to_text(self.clock.now())))
        return None

    async def _exists(self, node: str) -> bool:
        try:
            await self.client.get(NODES, node)
        except NotFound:
            return False
        self._missing.pop(node, None)
        return True

    async def _remove(self, pod: Object, cause: Object | None = None) -> None:
        """Fail ``pod``, with the condition ``cause`` if it was not deleted by anybody, and delete it."""
        namespace, name = pod["metadata"]["namespace"], pod["metadata"]["name"]
        if not has_ended(pod):
            failed = copy_of(pod)
            status = failed.setdefault("status", {})
            status["phase"] = "Failed"
            if cause is not None:
                conditions = [c for c in status.get("conditions") or () if c["type"] != cause["type"]]
                status["conditions"] = [*conditions, cause]
            await self.client.update(PODS, failed, subresource="status", field_manager=self.name)
        await self.client.delete(PODS, name, namespace, grace_period_seconds=0, uid=uid_of(pod))
