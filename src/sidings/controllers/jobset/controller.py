"""The JobSet controller: reads a snapshot, has it planned, carries it out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import objects
from sidings.api.container_failure import ContainerFailure
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.job import ending
from sidings.api.jobset import labels, names
from sidings.api.objects import Key, Object
from sidings.api.pods import LogOptions
from sidings.api.resources import CLAIMS, JOB_SETS, JOBS, PODS, SERVICES, Resource
from sidings.api.status import ApiError, NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.jobset import cause, effects, headless_service, in_place_restart, volume_claims
from sidings.controllers.jobset.cause import Witnessed
from sidings.controllers.jobset.plan import plan
from sidings.controllers.jobset.snapshot import Snapshot, classify
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.runtime.events import EventNote, Recorder

COMPONENT = "jobset"


def keys_of_pod(pod: Object) -> Iterable[Key]:
    """The JobSet whose label the pod carries."""
    name = objects.labels_of(pod).get(labels.JOBSET_NAME)
    return (Key(objects.namespace_of(pod), name),) if name else ()


class JobSetController(Controller):
    """Runs the JobSets that are not managed by somebody else."""

    name = "jobset-controller"
    resource = JOB_SETS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        JOBS: keys_of_controller(JOB_SETS.kind),
        SERVICES: keys_of_controller(JOB_SETS.kind),
    }

    def __init__(self, client: Client, clock: Clock, rng: random.Random, gates: FeatureGates = NONE) -> None:
        super().__init__(client, clock, rng)
        self._gates = gates
        self._recorder = Recorder(client, clock, COMPONENT, classic=False)
        self._witnessed: dict[Key, dict[str, Witnessed]] = {}
        """By JobSet and uid of the Job; not kept over the end of the engine."""

    def watched(self) -> Mapping[Resource, Mapper]:
        """With in-place restarts also pods: their agents tell by annotation how far they are."""
        return {**self.triggers, PODS: keys_of_pod} if Gate.IN_PLACE_RESTART in self._gates else self.triggers

    async def reconcile(self, key: Key) -> float | None:
        # Children first: those that the deletion of their JobSet takes away meanwhile are then known, and are not made
        # anew while their pods still stop.
        jobs = await self.client.dependents(JOBS, key.namespace, owner_kind=JOB_SETS.kind, owner_name=key.name)
        try:
            jobset = await self.client.get(JOB_SETS, key.name, key.namespace)
        except NotFound:
            self._witnessed.pop(key, None)
            return None
        foreign = (jobset["spec"].get("managedBy") or labels.OWN_MANAGER) != labels.OWN_MANAGER
        if foreign or objects.is_deleting(jobset):
            return None
        snapshot = await self._read(jobset, jobs)
        decided = plan(snapshot, self.clock.now())
        await self._witness(key, jobs)
        if decided.blamed is not None:
            decided.events.append(EventNote(jobset, "Warning", cause.REASON, await self._why(key, decided.blamed)))
        if (found := cause.culprit(decided.blamed_pods)) is not None:
            text = cause.describe_in_place(found, await self._last_line(found))
            decided.events.append(EventNote(jobset, "Warning", cause.REASON, text))
        await effects.carry_out(self.client, self._recorder, jobset, decided)
        return decided.requeue_after

    async def _read(self, jobset: Object, jobs: Iterable[Object]) -> Snapshot:
        namespace = objects.namespace_of(jobset)
        wanted = [objects.name_of(claim) for claim in volume_claims.claims_for(jobset)]
        claims = frozenset([claim for claim in wanted if await self._exists(CLAIMS, claim, namespace)])
        service_exists = headless_service.is_wanted(jobset) and await self._exists(
            SERVICES, names.subdomain(jobset), namespace
        )
        children = classify(jobset, jobs, self._gates)
        return Snapshot(jobset, children, service_exists, claims, self._gates, await self._pods(jobset))

    async def _pods(self, jobset: Object) -> tuple[Object, ...]:
        if Gate.IN_PLACE_RESTART not in self._gates or not in_place_restart.is_used(jobset):
            return ()
        selector = f"{labels.JOBSET_NAME}={objects.name_of(jobset)}"
        return tuple((await self.client.list(PODS, objects.namespace_of(jobset), label_selector=selector)).items)

    async def _witness(self, key: Key, jobs: Iterable[Object]) -> None:
        """Read what a Job fails of while its pods are there; forget those of Jobs that have gone."""
        known = self._witnessed.get(key, {})
        witnessed: dict[str, Witnessed] = {}
        for job in jobs:
            uid = objects.uid_of(job)
            if uid in known:
                witnessed[uid] = known[uid]
            elif ending.is_failing(job) and (found := await self._look(job)) is not None:
                witnessed[uid] = found
        if witnessed or known:
            self._witnessed[key] = witnessed

    async def _why(self, key: Key, job: Object) -> str:
        """What there is to say about the failure of ``job``, its last log line included where logs can be read."""
        found = await self._look(job, self._witnessed.get(key, {}).get(objects.uid_of(job)))
        return cause.describe(job, found.failure, found.last_line) if found else cause.describe(job, None)

    async def _look(self, job: Object, before: Witnessed | None = None) -> Witnessed | None:
        """What ``job`` fails of by the pods that are there, and by what was seen ``before``."""
        namespace, name = objects.namespace_of(job), objects.name_of(job)
        pods = await self.client.dependents(PODS, namespace, owner_kind=JOBS.kind, owner_name=name)
        failure = cause.culprit(pods, before)
        if failure is None:
            return None
        last_line = await self._last_line(failure)
        if before is not None and objects.uid_of(failure.pod) == objects.uid_of(before.failure.pod):
            last_line = last_line or before.last_line
        return Witnessed(failure, last_line)

    async def _last_line(self, found: ContainerFailure) -> str:
        options = LogOptions(found.container, previous=found.previous, tail_lines=1)
        try:
            key = objects.key_of(found.pod)
            text = b"".join([chunk async for chunk in self.client.logs(key.name, key.namespace, options)])
        except ApiError:
            return ""
        return text.decode(errors="replace").strip()

    async def _exists(self, resource: Resource, name: str, namespace: str) -> bool:
        try:
            await self.client.get(resource, name, namespace)
        except NotFound:
            return False
        return True
