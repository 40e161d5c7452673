"""Stands in for the controllers of a component that is off: jobs are told why nothing happens to them.

Upstream they wait without a word, because who would say something is what was removed.
"""

from __future__ import annotations

import random
from typing import ClassVar

from sidings.api.objects import Key, Object, controller_of, uid_of
from sidings.api.platform import components, unattended
from sidings.api.platform.components import Component
from sidings.api.resources import Resource
from sidings.api.status import NotFound
from sidings.client.events import EventNote, Recorder
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller

REPORTER = "sidings-platform"


class Unattended(Controller):
    """Watches ``resource``, whose objects ``component`` would work on; to be run while that is off."""

    name: ClassVar[str] = "unattended"
    workers = 1

    def __init__(
        self, client: Client, clock: Clock, rng: random.Random, component: Component, resource: Resource
    ) -> None:
        super().__init__(client, clock, rng)
        self._component = component
        self.resource = resource  # type: ignore[misc]  # one class for all kinds
        self._recorder = Recorder(client, clock, REPORTER)
        self._told: dict[str, int] = {}

    async def run(self) -> None:
        self._told.clear()
        await super().run()

    async def reconcile(self, key: Key) -> float | None:
        """Tell once for each change of what is asked for."""
        try:
            job = await self.client.get(self.resource, key.name, key.namespace)
        except NotFound:
            return None
        generation = int(job["metadata"].get("generation") or 0)
        if not unattended.waits(job) or self._told.get(uid_of(job)) == generation:
            return None
        clusters, job_set, kueue = [(await self.client.list(resource)).items for resource in components.SWITCHES]
        switch = components.removed_by(self._component, clusters, job_set, kueue)
        if switch is None:
            return None
        self._told[uid_of(job)] = generation
        text = unattended.message(self._component, switch)
        await self._recorder.record(EventNote(_concerned(job), "Warning", unattended.REASON, text))
        return None


def _concerned(obj: Object) -> Object:
    """The object that a user looks at: for a TrainJob's JobSet and for a Workload the job that owns it."""
    owner = controller_of(obj)
    if owner is None:
        return obj
    metadata = {"name": owner["name"], "uid": owner["uid"], "namespace": obj["metadata"]["namespace"]}
    return {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "metadata": metadata}
