"""Pods that no node will ever end are failed, then removed (kube-controller-manager v1.36, ``podgc``).

Those are pods whose node does not exist any more, and pods that were deleted before they had one but are kept by a
finalizer. A Job waits for the end of its pods, and nobody else would bring it about.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import timestamps
from sidings.api.objects import Key, Object, copy_of, is_deleting, uid_of
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
"""A node may be made anew in the meantime; upstream waits as long."""
ANY = "\0"


def _all_pods(node: Object) -> Iterable[Key]:
    return (Key("", ANY),)


class PodCollector(Controller):
    """Keys are pods; a change of nodes looks at all of them."""

    name = "pod-garbage-collector"
    resource = PODS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {NODES: _all_pods}

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._missing: dict[Key, float] = {}

    def keys(self, obj: Object) -> Iterable[Key]:
        return super().keys(obj) if obj["spec"].get("nodeName") or is_deleting(obj) else ()

    async def reconcile(self, key: Key) -> float | None:
        if key.name == ANY:
            for pod in (await self.client.list(PODS)).items:
                for own in self.keys(pod):
                    self.queue.add(own)
            return None
        try:
            pod = await self.client.get(PODS, key.name, key.namespace)
            node = pod["spec"].get("nodeName")
        except NotFound:
            self._missing.pop(key, None)
            return None
        if not node:
            if is_deleting(pod):
                await self._remove(pod)
            return None
        if await self._exists(node):
            self._missing.pop(key, None)
            return None
        since = self._missing.setdefault(key, self.clock.monotonic())
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
