"""Reads what a job needs to know, has ``plan`` decide the next step, and takes it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

from sidings.api.kueue import frameworks, keys
from sidings.api.objects import Key, Object, controller_of, key_of, labels_of, namespace_of
from sidings.api.resources import (
    CRDS,
    NAMESPACES,
    PRIORITY_CLASSES,
    RESOURCE_FLAVORS,
    TRAIN_JOBS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
    Resource,
)
from sidings.api.status import NotFound
from sidings.api.trainer import runtimes
from sidings.client.events import Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue import workload_status
from sidings.controllers.kueue.jobs import orphans, plan, prebuilt, training_job
from sidings.controllers.kueue.jobs.batch_job import BatchJob
from sidings.controllers.kueue.jobs.integration import Integration
from sidings.controllers.kueue.jobs.job_set import JobSets
from sidings.controllers.kueue.jobs.naming import Naming
from sidings.controllers.kueue.jobs.train_job import TrainJobs
from sidings.controllers.kueue.jobs.uncomposed import Uncomposed
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.runtime.plan import carry_out

FIELD_MANAGER = "kueue"
DEEPEST = 10
"""How many owners up a managed job is looked for."""

INTEGRATIONS: tuple[Integration, ...] = (BatchJob(), JobSets(), TrainJobs(), *training_job.ALL)
_BY_KIND = {(kind.resource.group, kind.resource.kind): kind for kind in INTEGRATIONS}


class QueuedJobs(Controller):
    """The jobs of one kind."""

    def __init__(self, kind: Integration, client: Client, clock: Clock, rng: random.Random, settings: Settings) -> None:
        super().__init__(client, clock, rng)
        self.kind = kind
        framework = frameworks.name_of(kind.resource)
        self.name = f"kueue {framework}"  # type: ignore[misc]  # one class serves all kinds
        self.resource = kind.resource  # type: ignore[misc]  # the same
        self._naming = Naming()
        self._uncomposed = Uncomposed()
        self._settings = settings
        settings.followers.append(self.look_at_all)
        self._recorder = Recorder(client, clock, f"{framework}-kueue-controller", classic=False)

    def watched(self) -> Mapping[Resource, Mapper]:
        return {WORKLOADS: self._of_workload, **self._uncomposed.watched()}

    def _of_workload(self, workload: Object) -> Iterable[Key]:
        yield from keys_of_controller(self.kind.resource.kind)(workload)
        yield from self._naming.jobs_of(key_of(workload))

    async def look_at_all(self) -> None:
        """Which jobs are managed may have changed."""
        for job in (await self.client.list(self.resource)).items:
            self.queue.add(key_of(job))

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(self.kind.resource, key.name, key.namespace)
        except NotFound:
            self._uncomposed.forget(key)
            self._naming.forget(key)
            await orphans.let_go(self.client, await self._workloads_named(key), field_manager=FIELD_MANAGER)
            return None
        management = self._settings.current.management
        if not management.frameworks.hold(self.kind.resource):
            return None
        parent = await self._parent(job)
        if not labels_of(job).get(keys.QUEUE_NAME) and parent is None and not management.without_queue_name:
            return None
        if not await self._in_managed_namespace(job):
            return None
        due = plan.plan(self.kind, await self._snapshot(job, parent), self._settings.current, self.clock.now())
        self._uncomposed.planned(key, due)
        await carry_out(self.client, due, field_manager=FIELD_MANAGER)
        for note in due.events:
            await self._recorder.record(note)
        return due.requeue_after

    async def _snapshot(self, job: Object, parent: Object | None) -> plan.Snapshot:
        named = prebuilt.name_of(job)
        if not named:
            self._naming.forget(key_of(job))
        return plan.Snapshot(
            job=job,
            workloads=await (self._named(job, named) if named else self._workloads_of(job, self.kind.resource.kind)),
            made_from=await self._runtime_of(job) if self.kind.resource == TRAIN_JOBS else None,
            parent_admitted=None if parent is None else await self._admitted(parent),
            flavors=await self._by_name(RESOURCE_FLAVORS),
            workload_classes=await self._by_name(WORKLOAD_PRIORITY_CLASSES),
            pod_classes=await self._by_name(PRIORITY_CLASSES),
        )

    async def _by_name(self, resource: Resource) -> dict[str, Object]:
        return {item["metadata"]["name"]: item for item in (await self.client.list(resource)).items}

    async def _workloads_named(self, key: Key) -> list[Object]:
        """Workloads of a job of this name, of whatever uid."""
        found = await self.client.dependents(
            WORKLOADS, key.namespace, owner_kind=self.kind.resource.kind, owner_name=key.name
        )
        group = self.kind.resource.group
        return [it for it in found if (controller_of(it) or {"apiVersion": ""})["apiVersion"].startswith(f"{group}/")]

    async def _workloads_of(self, job: Object, kind: str) -> list[Object]:
        found = await self.client.dependents(
            WORKLOADS, namespace_of(job), owner_kind=kind, owner_name=job["metadata"]["name"]
        )
        uid = job["metadata"]["uid"]
        return [workload for workload in found if (controller_of(workload) or {}).get("uid") == uid]

    async def _named(self, job: Object, name: str) -> list[Object]:
        """The prebuilt Workload, unless it is another's; one that comes later wakes the job."""
        self._naming.names(key_of(job), Key(namespace_of(job), name))
        try:
            found = await self.client.get(WORKLOADS, name, namespace_of(job))
        except NotFound:
            return []
        return [] if prebuilt.is_another_s(found, job) else [found]

    async def _parent(self, job: Object) -> Object | None:
        """The outermost job above this one that a queue holds, if there is one."""
        found, current = None, job
        for _ in range(DEEPEST):
            owner = controller_of(current)
            resource = await self._resource_of(owner) if owner else None
            if owner is None or resource is None:
                break
            try:
                current = await self.client.get(resource, owner["name"], namespace_of(job))
            except NotFound:
                break
            if current["metadata"]["uid"] != owner["uid"]:
                break
            if labels_of(current).get(keys.QUEUE_NAME) or self._settings.current.management.without_queue_name:
                found = {"apiVersion": resource.api_version, "kind": resource.kind, **current}
        return found

    async def _resource_of(self, owner: Object) -> Resource | None:
        """Of an owner that the queue may hold, or that an external framework queues."""
        known = self._settings.current.management.frameworks
        kind = _BY_KIND.get((owner["apiVersion"].rpartition("/")[0], owner["kind"]))
        if kind is not None:
            return kind.resource if known.hold(kind.resource) else None
        return known.external_owner(owner, (await self.client.list(CRDS)).items) if known.external else None

    async def _admitted(self, job: Object) -> bool:
        return any(map(workload_status.is_admitted, await self._workloads_of(job, job["kind"])))

    async def _in_managed_namespace(self, job: Object) -> bool:
        try:
            namespace = await self.client.get(NAMESPACES, namespace_of(job))
        except NotFound:
            return False
        return self._settings.current.management.covers(labels_of(namespace))

    async def _runtime_of(self, job: Object) -> Object | None:
        resource = runtimes.resource_of(job)
        if resource is None:
            return None
        try:
            runtime = await self.client.get(
                resource, job["spec"]["runtimeRef"]["name"], namespace_of(job) if resource.namespaced else ""
            )
        except NotFound:
            return None
        return {"apiVersion": resource.api_version, "kind": resource.kind, **runtime}


def controllers(client: Client, clock: Clock, rng: random.Random, settings: Settings) -> Iterable[QueuedJobs]:
    """One controller for each kind of job."""
    return [QueuedJobs(kind, client, clock, rng, settings) for kind in INTEGRATIONS]
