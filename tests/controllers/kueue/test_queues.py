"""Statuses of queues are written whatever happens to a write."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_QUEUES, RESOURCE_FLAVORS, Resource
from sidings.api.status import Forbidden, ServiceUnavailable
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.queues import PACE, Queues
from sidings.controllers.kueue.settings import Settings
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.faults.planted_bugs import Lie
from tests.queue import objects


class RefusesOnce(Lie):
    """The first write is not answered well, and changes nothing."""

    refused = 0

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        if not self.refused:
            self.refused += 1
            raise ServiceUnavailable("try again")
        updated: Object = await self.client.update(resource, obj, **options)
        return updated


class RefusesOne(Lie):
    """Writes of one object are never accepted."""

    tried = 0

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        if obj["metadata"]["name"] == "bad":
            self.tried += 1
            raise Forbidden("not this one")
        updated: Object = await self.client.update(resource, obj, **options)
        return updated


@pytest.mark.looptime
async def test_one_that_is_always_refused_is_tried_less_often_and_holds_up_nobody() -> None:
    clock = LoopClock()
    client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), clock, random.Random(1)))
    cache, refuses = Cache(), RefusesOne(client)
    made = ((RESOURCE_FLAVORS, objects.flavor()), *((CLUSTER_QUEUES, objects.cluster_queue(n)) for n in ("bad", "cq")))
    for resource, obj in made:
        stored = await client.create(resource, {"apiVersion": resource.api_version, **obj})
        cache.see(resource, stored, gone=False, now=clock.now())
    queues = Queues(refuses, clock, cache, Settings(client, clock))
    queues.look()
    working = asyncio.create_task(queues.run())
    await asyncio.sleep(600)
    working.cancel()
    assert 10 <= refuses.tried <= 20
    assert (await client.get(CLUSTER_QUEUES, "cq"))["status"]["pendingWorkloads"] == 0


@pytest.mark.looptime
async def test_a_status_that_could_not_be_written_is_written_at_the_next_look() -> None:
    clock = LoopClock()
    client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), clock, random.Random(1)))
    cache, refuses = Cache(), RefusesOnce(client)
    for resource, made in ((RESOURCE_FLAVORS, objects.flavor()), (CLUSTER_QUEUES, objects.cluster_queue("cq"))):
        stored = await client.create(resource, {"apiVersion": resource.api_version, **made})
        cache.see(resource, stored, gone=False, now=clock.now())
    queues = Queues(refuses, clock, cache, Settings(client, clock))
    queues.look()
    working = asyncio.create_task(queues.run())
    await asyncio.sleep(3 * PACE)
    working.cancel()
    assert refuses.refused == 1
    assert (await client.get(CLUSTER_QUEUES, "cq"))["status"]["pendingWorkloads"] == 0
