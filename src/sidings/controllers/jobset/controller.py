"""The JobSet controller: reads a snapshot, has it planned, carries it out."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import ClassVar

from sidings.api import objects
from sidings.api.jobset import labels, names
from sidings.api.objects import Key, Object
from sidings.api.resources import CLAIMS, JOB_SETS, JOBS, SERVICES, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.jobset import effects, headless_service
from sidings.controllers.jobset.plan import plan
from sidings.controllers.jobset.snapshot import Snapshot, classify
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.runtime.events import Recorder

COMPONENT = "jobset"


class JobSetController(Controller):
    """Runs the JobSets that are not managed by somebody else."""

    name = "jobset-controller"
    resource = JOB_SETS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {
        JOBS: keys_of_controller(JOB_SETS.kind),
        SERVICES: keys_of_controller(JOB_SETS.kind),
    }

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, COMPONENT, classic=False)

    async def reconcile(self, key: Key) -> float | None:
        try:
            jobset = await self.client.get(JOB_SETS, key.name, key.namespace)
        except NotFound:
            return None
        foreign = (jobset["spec"].get("managedBy") or labels.OWN_MANAGER) != labels.OWN_MANAGER
        if foreign or objects.is_deleting(jobset):
            return None
        snapshot = await self._read(jobset)
        decided = plan(snapshot, self.clock.now())
        await effects.carry_out(self.client, self._recorder, jobset, decided)
        return decided.requeue_after

    async def _read(self, jobset: Object) -> Snapshot:
        namespace = objects.namespace_of(jobset)
        jobs = (await self.client.list(JOBS, namespace)).items
        claims: frozenset[str] = frozenset()
        if jobset["spec"].get("volumeClaimPolicies"):
            claims = frozenset(objects.name_of(claim) for claim in (await self.client.list(CLAIMS, namespace)).items)
        service_exists = headless_service.is_wanted(jobset) and await self._service_exists(jobset)
        return Snapshot(jobset, classify(jobset, jobs), service_exists, claims)

    async def _service_exists(self, jobset: Object) -> bool:
        try:
            await self.client.get(SERVICES, names.subdomain(jobset), objects.namespace_of(jobset))
        except NotFound:
            return False
        return True
