"""The controller of one kind of job: reads a snapshot, has it planned, carries it out."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import objects
from sidings.api.objects import Key, Object
from sidings.api.resources import PODS, SERVICES, Resource
from sidings.api.status import NotFound
from sidings.api.training_operator import words
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller, Mapper, keys_of_controller
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote
from sidings.controllers.software import Finding
from sidings.controllers.training_operator import effects
from sidings.controllers.training_operator.operator import Operator
from sidings.controllers.training_operator.plan import plan
from sidings.controllers.training_operator.snapshot import Snapshot


class TrainingJobController(Controller):
    """Runs the jobs of one framework that nobody else manages; a subclass names the framework's operator."""

    operator: ClassVar[Operator]

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, self.name)

    def watched(self) -> Mapping[Resource, Mapper]:
        mine = keys_of_controller(self.resource.kind)
        return {PODS: mine, SERVICES: mine}

    async def reconcile(self, key: Key) -> float | None:
        try:
            job = await self.client.get(self.resource, key.name, key.namespace)
        except NotFound:
            return None
        job = {**job, "spec": job.get("spec") or {}}  # no schema asks for it
        if objects.is_deleting(job) or is_foreign(job):
            return None
        if complaint := self.operator.complaint(job):
            kind = self.resource.kind
            message = f"{kind} failed validation because {complaint}"
            await self._recorder.record(EventNote(job, "Warning", f"{kind}FailedValidation", message))
            return None
        if not (job.get("status") or {}).get("conditions"):
            for reason, message in self.obstacles(job):
                await self._recorder.record(EventNote(job, "Warning", reason, message))
        decided = plan(self.operator, await self._snapshot(job), self.clock.now())
        await effects.carry_out(self.client, self._recorder, self.resource, job, decided)
        return decided.requeue_after

    def obstacles(self, job: Object) -> Iterable[Finding]:
        """What will keep the pods of ``job``, which is about to begin, from running; by default nothing is known."""
        return ()

    async def _snapshot(self, job: Object) -> Snapshot:
        namespace, selector = objects.namespace_of(job), f"{words.JOB_NAME}={objects.name_of(job)}"
        pods = await self.client.list(PODS, namespace, label_selector=selector)
        services = await self.client.list(SERVICES, namespace, label_selector=selector)
        return Snapshot.of(self.operator.framework, job, pods.items, services.items)


def is_foreign(job: Object) -> bool:
    """Whether ``managedBy`` of a job with a spec names another controller; an empty string does."""
    managed_by = (job["spec"].get("runPolicy") or {}).get("managedBy")
    return managed_by not in (None, words.OWN_MANAGER)
