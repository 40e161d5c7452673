"""Reads what surrounds a Workload, has ``workload_plan`` decide the next step, and takes it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from sidings.api import conditions
from sidings.api.objects import Key, Object, is_deleting, key_of, name_of, namespace_of
from sidings.api.resources import ADMISSION_CHECKS, CLUSTER_QUEUES, LOCAL_QUEUES, NAMESPACES, WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.client.events import Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue import words, workload_plan
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.kueue.workload_plan import Surroundings
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.plan import carry_out

FIELD_MANAGER = "kueue"


class Workloads(Controller):
    """All Workloads, whoever made them."""

    name = "kueue workloads"
    resource = WORKLOADS

    def __init__(self, client: Client, clock: Clock, rng: random.Random, settings: Settings) -> None:
        super().__init__(client, clock, rng)
        self._settings = settings
        self._recorder = Recorder(client, clock, words.WORKLOAD_CONTROLLER, classic=False)
        self._admission = Recorder(client, clock, words.ADMISSION, classic=False)
        self._of_queue: dict[Key, set[Key]] = {}
        """LocalQueue -> its Workloads, so that a change of a queue is told to them alone."""
        self._queues_of: dict[str, set[Key]] = {}
        """ClusterQueue -> LocalQueues."""
        self._queue_of: dict[Key, Key] = {}
        """Workload -> its LocalQueue."""
        self._seen: dict[tuple[str, Key], Object] = {}
        """Queues by kind, as last told of."""

    def keys(self, obj: Object) -> Iterable[Key]:
        key = Key(namespace_of(obj), name_of(obj))
        queue = Key(key.namespace, obj["spec"].get("queueName") or "")
        if self._queue_of.get(key) != queue:
            self._leave(key)
            self._queue_of[key] = queue
            self._of_queue.setdefault(queue, set()).add(key)
        return (key,)

    def _leave(self, key: Key) -> None:
        queue = self._queue_of.pop(key, None)
        if queue is not None:
            self._of_queue[queue].discard(key)

    def watched(self) -> Mapping[Resource, Mapper]:
        return {LOCAL_QUEUES: self._of_local_queue, CLUSTER_QUEUES: self._of_cluster_queue}

    def _of_local_queue(self, obj: Object) -> Iterable[Key]:
        queue = Key(namespace_of(obj), name_of(obj))
        self._queues_of.setdefault(obj["spec"].get("clusterQueue") or "", set()).add(queue)
        return tuple(self._of_queue.get(queue, ())) if self._is_news("LocalQueue", queue, obj) else ()

    def _of_cluster_queue(self, obj: Object) -> Iterable[Key]:
        if not self._is_news("ClusterQueue", key_of(obj), obj):
            return ()
        queues = self._queues_of.get(name_of(obj), ())
        return [key for queue in queues for key in self._of_queue.get(queue, ())]

    def _is_news(self, kind: str, key: Key, queue: Object) -> bool:
        """Whether its Workloads are to be looked at: not where only counters changed, which they do with each of them.

        A deletion changes no counters.
        """
        before = self._seen.get((kind, key))
        self._seen[kind, key] = queue
        return before is None or _counters(before) == _counters(queue) or _decisive(before) != _decisive(queue)

    async def reconcile(self, key: Key) -> float | None:
        workload = await self._find(WORKLOADS, key.name, key.namespace)
        if workload is None:
            self._leave(key)
            return None
        around = await self._surroundings(workload)
        due = workload_plan.plan(workload, around, self._settings.current, self.clock.now())
        await carry_out(self.client, due.plan, field_manager=FIELD_MANAGER)
        for note in due.plan.events:
            await self._recorder.record(note)
        for note in due.admission_events:
            await self._admission.record(note)
        return due.plan.requeue_after

    async def _surroundings(self, workload: Object) -> Surroundings:
        namespace = namespace_of(workload)
        local = await self._find(LOCAL_QUEUES, workload["spec"].get("queueName") or "", namespace)
        admission = (workload.get("status") or {}).get("admission") or {}
        name = admission.get("clusterQueue") or (local or {"spec": {}})["spec"].get("clusterQueue") or ""
        cluster = await self._find(CLUSTER_QUEUES, name)
        return Surroundings(local, cluster, await self._find(NAMESPACES, namespace), await self._checks(cluster))

    async def _checks(self, cluster_queue: Object | None) -> dict[str, frozenset[str]]:
        strategy = ((cluster_queue or {}).get("spec") or {}).get("admissionChecksStrategy") or {}
        found = {}
        for entry in strategy.get("admissionChecks") or ():
            if await self._find(ADMISSION_CHECKS, entry["name"]) is not None:
                found[entry["name"]] = frozenset(entry.get("onFlavors") or ())
        return found

    async def _find(self, resource: Resource, name: str, namespace: str = "") -> Object | None:
        if not name:
            return None
        try:
            return await self.client.get(resource, name, namespace)
        except NotFound:
            return None


def _counters(queue: Object) -> Object:
    return {name: value for name, value in (queue.get("status") or {}).items() if name != "conditions"}


def _decisive(queue: Object) -> tuple[Object, bool, bool]:
    return queue["spec"], is_deleting(queue), conditions.is_true(queue, "Active")
