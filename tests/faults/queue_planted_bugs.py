"""Mistakes that are easily made around queues, as lies between a controller and its client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from sidings.api import conditions, objects
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_QUEUES, JOBS, WORKLOADS, Resource
from sidings.client.interface import ObjectList, WatchEvent
from tests.faults.planted_bugs import Lie, PlantedBug


class Sees(Lie):
    """What is listed and watched is not what is stored."""

    def seen(self, resource: Resource, obj: Object) -> Object:
        raise NotImplementedError

    async def list(self, resource: Resource, namespace: str = "", **options: Any) -> ObjectList:
        found: ObjectList = await self.client.list(resource, namespace, **options)
        return found._replace(items=[self.seen(resource, obj) for obj in found.items])

    async def watch(self, resource: Resource, namespace: str = "", **options: Any) -> AsyncIterator[WatchEvent]:
        async for event in self.client.watch(resource, namespace, **options):
            yield event._replace(object=self.seen(resource, event.object)) if event.type != "BOOKMARK" else event


class CountsQuotaTwice(Sees):
    """A ClusterQueue has more to give than it has."""

    def seen(self, resource: Resource, obj: Object) -> Object:
        if resource == CLUSTER_QUEUES:
            obj = objects.copy_of(obj)
            quota = obj["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]
            quota["nominalQuota"] = str(2 * int(quota["nominalQuota"]))
        return obj


class IsNotStrict(Sees):
    """Who fits passes a head that does not, in every queue."""

    def seen(self, resource: Resource, obj: Object) -> Object:
        if resource == CLUSTER_QUEUES:
            return {**obj, "spec": {**obj["spec"], "queueingStrategy": "BestEffortFIFO"}}
        return obj


class StartsAtOnce(Lie):
    """``suspend`` is not looked at before pods are made."""

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        found: Object = await self.client.get(resource, name, namespace)
        return {**found, "spec": {**found["spec"], "suspend": False}} if resource == JOBS else found


class NeverReleases(Lie):
    """Who was evicted keeps its quota."""

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        status = obj.get("status") or {}
        if resource == WORKLOADS and conditions.is_true(obj, "Evicted") and "admission" not in status:
            return obj
        return await self.client.update(resource, obj, **options)


class MissesEnds(Lie):
    """A watch that ended is not opened again."""

    async def watch(self, resource: Resource, namespace: str = "", **options: Any) -> AsyncIterator[WatchEvent]:
        async for event in self.client.watch(resource, namespace, **options):
            yield event
            if resource == WORKLOADS and conditions.is_true(event.object, "Finished"):
                await asyncio.Event().wait()


BUGS = {
    bug.lie.__name__: bug  # type: ignore[attr-defined]
    for bug in (
        PlantedBug("kueue", CountsQuotaTwice),
        PlantedBug("kueue", IsNotStrict),
        PlantedBug("job", StartsAtOnce),
        PlantedBug("kueue", NeverReleases),
        PlantedBug("kueue", MissesEnds),
    )
}
