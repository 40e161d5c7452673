"""A storm over queues: jobs of all kinds compete for two cohorts while quotas, priorities and processes change."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from sidings.api import objects
from sidings.api.kueue import configuration, keys
from sidings.api.objects import Object
from sidings.api.resources import (
    CLUSTER_QUEUES,
    CONFIG_MAPS,
    JOB_SETS,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    PODS,
    PYTORCH_JOBS,
    SERVICES,
    TRAIN_JOBS,
    WORKLOADS,
    Resource,
)
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.controllers.kueue.manager import Kueue
from sidings.controllers.pytorchjob.controller import PyTorchJobController
from tests.faults import queue_objects, queue_rest, queue_rules
from tests.faults.control_plane import CONTROLLERS, OWNED, FaultyControlPlane, Make, Wrap
from tests.faults.ledger import Ledger, Rule
from tests.faults.queue_ledger import JOB_KINDS, QueueLedger
from tests.faults.scripted_nodes import NODE_NAMES
from tests.faults.storm import NAMESPACE, Acts, AtRest, Storm

MOST = 14
"""Users make no more jobs while there are so many."""
FAIR_SHARING = f"apiVersion: {configuration.GROUP}/v1beta2\nkind: Configuration\nfairSharing: {{}}\n"


class Manager:
    """All of Kueue, as one process that dies as a whole."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        self._kueue = Kueue(client, clock, rng)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for part in (*self._kueue.controllers(), *self._kueue.loops()):
                tasks.create_task(part.run())


QUEUE_CONTROLLERS: Mapping[str, Make] = {
    **{name: make for name, make in CONTROLLERS.items() if name in ("trainjob", "jobset", "job")},
    "pytorchjob": lambda client, clock, rng, gates: PyTorchJobController(client, clock, rng),
    "garbage": lambda client, clock, rng, gates: GarbageCollector(
        client, clock, rng, (*OWNED, PYTORCH_JOBS, WORKLOADS)
    ),
    "kueue": lambda client, clock, rng, gates: Manager(client, clock, rng),
}


class QueueStorm(Storm):
    """One third of them with fair sharing."""

    _made_kinds: ClassVar[tuple[Resource, ...]] = (*JOB_KINDS, PODS, SERVICES, WORKLOADS)
    ledger: QueueLedger

    def _control_plane(self, planted: Mapping[str, Wrap]) -> FaultyControlPlane:
        return FaultyControlPlane(self._rng, self._weather, planted, self.gates, QUEUE_CONTROLLERS)

    def _new_ledger(self) -> QueueLedger:
        return QueueLedger(clock=self.plane.clock)

    def _possible_acts(self) -> Acts:
        return {
            "node works": (40, self._node_works),
            "job made": (5, lambda: self._queue_one(JOBS)),
            "jobset made": (3, lambda: self._queue_one(JOB_SETS)),
            "pytorchjob made": (2, lambda: self._queue_one(PYTORCH_JOBS)),
            "trainjob made": (2, lambda: self._queue_one(TRAIN_JOBS)),
            "pod group made": (2, self._queue_group),
            "quota changed": (2, self._change_quota),
            "queue stopped": (1, self._stop_queue),
            "queue started": (3, self._start_queues),
            "priority changed": (2, self._change_priority),
            "workload deactivated": (1, lambda: self._activate(active=False)),
            "workload activated": (2, lambda: self._activate(active=True)),
            "workload deleted": (1, self._delete_workload),
            "annotated": (2, self._annotate_workload),
            "job deleted": (2, self._delete_job),
            "pod deleted": (2, self._delete_pod),
            "pod killed": (2, self._kill_pod),
            "controller crashed": (3, self._crash),
            "kueue crashed": (2, lambda: self._crash_one("kueue")),
        }

    def _rules(self) -> Mapping[str, Rule]:
        return queue_rules.RULES

    def _rules_of_rest(self) -> Sequence[AtRest]:
        return queue_rest.RULES_OF_REST

    async def _prepare(self) -> None:
        client = self.plane.client
        for name in (NAMESPACE, configuration.NAMESPACE):
            await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        if self._rng.random() < 1 / 3:
            metadata = {"name": configuration.NAME, "namespace": configuration.NAMESPACE}
            data = {configuration.KEY: FAIR_SHARING}
            await client.create(
                CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
            )
        for resource, obj in queue_objects.surroundings(NAMESPACE):
            await client.create(resource, obj)

    async def _end_all(self) -> None:
        for name in NODE_NAMES:
            await self.nodes.join(name)
        await self._be_kind()
        await self._until(lambda: not list(queue_rest.all_queued_jobs_have_ended(self.ledger)))
        self._must_hold(queue_rest.all_queued_jobs_have_ended)

    async def _be_kind(self) -> None:
        await self._start_queues()
        for queue in (await self.plane.client.list(CLUSTER_QUEUES)).items:
            await self._set_quota(queue, queue_objects.LARGEST_QUOTA)
        for workload in (await self.plane.client.list(WORKLOADS, NAMESPACE)).items:
            if workload["spec"].get("active") is False:
                await self._patch(WORKLOADS, workload, {"spec": {"active": True}})

    def _what_is_left(self, ledger: Ledger) -> Iterator[str]:
        return queue_rest.no_workload_is_left(ledger)

    # --- the acts --------------------------------------------------------------------------------------------------

    async def _queue_one(self, resource: Resource) -> None:
        if len(await self._jobs()) < MOST:
            self._made += 1
            name = f"{resource.kind.lower()}{self._made}"
            await self.plane.client.create(resource, queue_objects.random_queued(resource, name, NAMESPACE, self._rng))

    async def _queue_group(self) -> None:
        if len(await self._jobs()) < MOST:
            self._made += 1
            for pod in queue_objects.random_group(f"group{self._made}", NAMESPACE, self._rng):
                await self.plane.client.create(PODS, pod)

    async def _jobs(self) -> list[tuple[Resource, Object]]:
        return [(resource, obj) for resource in JOB_KINDS for obj in await self._own(resource)]

    async def _change_quota(self) -> None:
        queue = self._rng.choice((await self.plane.client.list(CLUSTER_QUEUES)).items)
        await self._set_quota(queue, self._rng.choice((0, 2, 4, 6)))

    async def _set_quota(self, queue: Object, cpu: int) -> None:
        changed = objects.copy_of(queue)
        changed["spec"]["resourceGroups"][0]["flavors"][0]["resources"][0]["nominalQuota"] = str(cpu)
        await self.plane.client.update(CLUSTER_QUEUES, changed)

    async def _stop_queue(self) -> None:
        resource = self._rng.choice((CLUSTER_QUEUES, LOCAL_QUEUES))
        queue = self._rng.choice((await self.plane.client.list(resource)).items)
        await self._set_stop_policy(resource, queue, self._rng.choice(("Hold", "HoldAndDrain")))

    async def _start_queues(self) -> None:
        for resource in (CLUSTER_QUEUES, LOCAL_QUEUES):
            for queue in (await self.plane.client.list(resource)).items:
                await self._set_stop_policy(resource, queue, "None")

    async def _set_stop_policy(self, resource: Resource, queue: Object, policy: str) -> None:
        if (queue["spec"].get("stopPolicy") or "None") != policy:
            namespace = NAMESPACE if resource.namespaced else ""
            body = {"spec": {"stopPolicy": policy}}
            await self.plane.client.patch(resource, objects.name_of(queue), body, namespace=namespace)

    async def _change_priority(self) -> None:
        jobs = [(kind, job) for kind, job in await self._jobs() if objects.labels_of(job).get(keys.PRIORITY_CLASS)]
        if jobs:
            kind, job = self._rng.choice(jobs)
            labels = {keys.PRIORITY_CLASS: self._rng.choice(list(queue_objects.PRIORITIES))}
            await self._patch(kind, job, {"metadata": {"labels": labels}})

    async def _activate(self, *, active: bool) -> None:
        found = (await self.plane.client.list(WORKLOADS, NAMESPACE)).items
        if others := [it for it in found if (it["spec"].get("active") is not False) != active]:
            await self._patch(WORKLOADS, self._rng.choice(others), {"spec": {"active": active}})

    async def _annotate_workload(self) -> None:
        """A change that decides nothing, in the way of those who write."""
        if found := (await self.plane.client.list(WORKLOADS, NAMESPACE)).items:
            self._made += 1
            body = {"metadata": {"annotations": {"n": str(self._made)}}}
            await self._patch(WORKLOADS, self._rng.choice(found), body)

    async def _delete_workload(self) -> None:
        if found := (await self.plane.client.list(WORKLOADS, NAMESPACE)).items:
            await self.plane.client.delete(WORKLOADS, objects.name_of(self._rng.choice(found)), NAMESPACE)

    async def _delete_job(self) -> None:
        if jobs := await self._jobs():
            kind, job = self._rng.choice(jobs)
            policy = self._rng.choice(("Background", "Foreground"))
            await self.plane.client.delete(kind, objects.name_of(job), NAMESPACE, propagation_policy=policy)

    async def _crash_one(self, name: str) -> None:
        self.plane.crash(name, self._rng.randint(1, 60))
