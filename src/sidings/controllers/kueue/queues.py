"""Writes the status of ClusterQueues and LocalQueues from the scheduler's cache, and lets go of what is not in use.

The cache changes with every Workload; a status is written at most every ``PACE`` seconds. Finalizers: a ClusterQueue
that is deleted stays while Workloads hold its quota, a flavor while a ClusterQueue names it.
"""

from __future__ import annotations

import asyncio
import contextlib

from sidings.api.kueue.keys import RESOURCE_IN_USE
from sidings.api.objects import Object, copy_of, is_deleting, key_of, name_of
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES, RESOURCE_FLAVORS
from sidings.api.status import ApiError
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue import queue_status
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.refusals import Refusals
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.runtime.plan import Update, together, write

FIELD_MANAGER = "kueue"
PACE = 0.2
PARALLEL_WRITES = 8


class Queues:
    """One task; :meth:`look` tells it that the cache changed."""

    name = "kueue queues"

    def __init__(self, client: Client, clock: Clock, cache: Cache, settings: Settings) -> None:
        self._client = client
        self._clock = clock
        self._cache = cache
        self._settings = settings
        self._changed = asyncio.Event()
        self._refusals = Refusals(clock, self.name)

    def look(self) -> None:
        self._changed.set()

    async def run(self) -> None:
        """Write what changed until cancelled."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._refusals.next_in()):
                    await self._changed.wait()
            self._changed.clear()
            await self._write_all()
            await self._clock.sleep(PACE)

    async def _write_all(self) -> None:
        self._cache.refresh(self._clock.now())
        steps = self._refusals.due([*self._statuses(), *self._released()])
        await together([self._write(step) for step in steps], PARALLEL_WRITES)

    async def _write(self, step: Update) -> None:
        try:
            await write(self._client, step, field_manager=FIELD_MANAGER)
        except ApiError as error:
            self._refusals.refused(step, error)
        else:
            self._refusals.written(step)

    def _statuses(self) -> list[Update]:
        now, snapshot = self._clock.now(), self._cache.snapshot
        tallies, fair = self._cache.tallies, self._settings.current.fair_sharing.enabled
        found = []
        for obj in self._cache.of_kind(CLUSTER_QUEUES):
            queue = snapshot.queues.get(name_of(obj))
            if queue is not None:
                tally = tallies.of_cluster_queue(queue.name)
                found.append((CLUSTER_QUEUES, obj, queue_status.cluster_queue(obj, queue, tally, now, fair=fair)))
        for obj in self._cache.of_kind(LOCAL_QUEUES):
            queue = snapshot.queues.get(obj["spec"].get("clusterQueue") or "")
            tally = tallies.of_local_queue(key_of(obj))
            found.append((LOCAL_QUEUES, obj, queue_status.local_queue(obj, queue, tally, now)))
        return [
            Update(resource, {**obj, "status": status}, "status")
            for resource, obj, status in found
            if status != obj.get("status")
        ]

    def _released(self) -> list[Update]:
        """What is being deleted and used by nobody any more, without its finalizer."""
        queues = self._cache.snapshot.queues.values()
        holding = {queue.name for queue in queues if queue.workloads}
        named = {flavor for queue in queues for flavor in queue.flavors}
        idle = [
            *((CLUSTER_QUEUES, obj) for obj in self._cache.of_kind(CLUSTER_QUEUES) if name_of(obj) not in holding),
            *((RESOURCE_FLAVORS, obj) for obj in self._cache.of_kind(RESOURCE_FLAVORS) if name_of(obj) not in named),
        ]
        return [Update(resource, _without_finalizer(obj)) for resource, obj in idle if _waits_to_go(obj)]


def _waits_to_go(obj: Object) -> bool:
    return is_deleting(obj) and RESOURCE_IN_USE in (obj["metadata"].get("finalizers") or ())


def _without_finalizer(obj: Object) -> Object:
    changed: Object = copy_of(obj)
    changed["metadata"]["finalizers"] = [name for name in changed["metadata"]["finalizers"] if name != RESOURCE_IN_USE]
    return changed
