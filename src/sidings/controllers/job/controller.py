"""The Job controller: reads a snapshot, has it planned, carries it out.

Pods that lost their Job are its business as well: they carry the Job's finalizer, which nobody else removes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import objects
from sidings.api.job import labels
from sidings.api.objects import Key, Object
from sidings.api.resources import JOBS, PODS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.job import claiming, effects, pods
from sidings.controllers.job.backoff import NO_FAILURES, Backoff
from sidings.controllers.job.plan import plan
from sidings.controllers.job.snapshot import Snapshot
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.events import Recorder

COMPONENT = "job-controller"


def keys_of_pod(pod: Object) -> Iterable[Key]:
    """The Job that controls ``pod``; for an orphan the Job that its labels name."""
    owner = objects.controller_of(pod)
    if owner is not None:
        return (Key(objects.namespace_of(pod), owner["name"]),) if owner["kind"] == JOBS.kind else ()
    name = objects.labels_of(pod).get(labels.JOB_NAME)
    return (Key(objects.namespace_of(pod), name),) if name else ()


class JobController(Controller):
    """Runs the pods of ``batch/v1`` Jobs that are not managed by somebody else."""

    name = COMPONENT
    resource = JOBS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {PODS: keys_of_pod}
    settle_seconds: ClassVar[float] = 0.05
    """Upstream gathers changes of pods for 1 s before it looks (``syncJobBatchPeriod``), which every Job pays for when
    it ends. Reads are cheap here; the little that is left lets the ends of a gang arrive together."""
    first_retry: ClassVar[float] = 1.0
    longest_retry: ClassVar[float] = 60.0

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, COMPONENT)
        self._backoffs: dict[str, Backoff] = {}

    async def reconcile(self, key: Key) -> float | None:
        in_namespace = (await self.client.list(PODS, key.namespace)).items
        try:
            job = await self.client.get(JOBS, key.name, key.namespace)
        except NotFound:
            await self._release_orphans(key, in_namespace)
            return None
        if job["spec"].get("managedBy", labels.OWN_MANAGER) != labels.OWN_MANAGER:
            return None
        owned = claiming.owned(job, in_namespace)
        owned += [await claiming.adopt(self.client, job, pod) for pod in claiming.adoptable(job, in_namespace)]
        uid = objects.uid_of(job)
        decided = plan(Snapshot.of(job, owned, self._backoffs.get(uid, NO_FAILURES)), self.clock.now())
        await effects.carry_out(self.client, self._recorder, job, decided)
        self._remember(uid, decided.backoff)
        return decided.requeue_after

    def _remember(self, uid: str, backoff: Backoff) -> None:
        if backoff.failures:
            self._backoffs[uid] = backoff
        else:
            self._backoffs.pop(uid, None)

    async def _release_orphans(self, key: Key, in_namespace: Iterable[Object]) -> None:
        """Let go of the pods of a Job that does not exist (any more)."""
        for pod in in_namespace:
            if pods.is_tracked(pod) and key in keys_of_pod(pod):
                await effects.release(self.client, pod)
