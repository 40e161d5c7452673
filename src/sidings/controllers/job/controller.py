"""The Job controller: reads a snapshot, has it planned, carries it out.

Pods that lost their Job are its business as well: they carry the Job's finalizer, which nobody else removes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import ClassVar, NamedTuple

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

SETTLE_AFTER_END = 0.05
SETTLE_OTHERWISE = 0.5
"""Seconds for which changes of pods are gathered. Upstream takes 1 s for all (``syncJobBatchPeriod``), which every Job
pays for when it ends; so the end of a pod waits only as long as the ends of a gang need to arrive together."""


def keys_of_pod(pod: Object) -> Iterable[Key]:
    """The Job that controls ``pod``; for an orphan the Job that its labels name."""
    owner = objects.controller_of(pod)
    if owner is not None:
        return (Key(objects.namespace_of(pod), owner["name"]),) if owner["kind"] == JOBS.kind else ()
    name = objects.labels_of(pod).get(labels.JOB_NAME)
    return (Key(objects.namespace_of(pod), name),) if name else ()


class _Remembered(NamedTuple):
    """The back-off of the Job with ``uid``; a namesake starts without one."""

    uid: str
    backoff: Backoff


class JobController(Controller):
    """Runs the pods of ``batch/v1`` Jobs that are not managed by somebody else."""

    name = COMPONENT
    resource = JOBS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {PODS: keys_of_pod}
    first_retry: ClassVar[float] = 1.0
    longest_retry: ClassVar[float] = 60.0

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        super().__init__(client, clock, rng)
        self._recorder = Recorder(client, clock, COMPONENT)
        self._backoffs: dict[Key, _Remembered] = {}

    def settle_seconds(self, obj: Object) -> float:
        ended = pods.is_terminal(obj) or objects.is_deleting(obj)
        return SETTLE_AFTER_END if ended else SETTLE_OTHERWISE

    async def reconcile(self, key: Key) -> float | None:
        named = await self.client.dependents(PODS, key.namespace, owner_kind=JOBS.kind, owner_name=key.name)
        orphans = await claiming.orphans(self.client, key, await self._read(key))
        # Read last: a Job that was taken away before its pods is then seen to be gone.
        job = await self._read(key)
        if job is not None and job["spec"].get("managedBy", labels.OWN_MANAGER) != labels.OWN_MANAGER:
            return None
        adoptable = claiming.adoptable(job, orphans) if job is not None else []
        await self._release_strays(key, job, [*named, *(pod for pod in orphans if pod not in adoptable)])
        if job is None:
            self._backoffs.pop(key, None)
            return None
        owned = claiming.owned(job, named)
        owned += [await claiming.adopt(self.client, job, pod) for pod in adoptable]
        decided = plan(Snapshot.of(job, owned, self._backoff(key, job)), self.clock.now())
        failure = await effects.carry_out(self.client, self._recorder, job, decided)
        self._backoffs[key] = _Remembered(objects.uid_of(job), decided.backoff)
        if failure is not None:
            raise failure
        return decided.requeue_after

    async def _read(self, key: Key) -> Object | None:
        try:
            return await self.client.get(JOBS, key.name, key.namespace)
        except NotFound:
            return None

    def _backoff(self, key: Key, job: Object) -> Backoff:
        remembered = self._backoffs.get(key)
        return remembered.backoff if remembered and remembered.uid == objects.uid_of(job) else NO_FAILURES

    async def _release_strays(self, key: Key, job: Object | None, candidates: Iterable[Object]) -> None:
        """Let go of the pods that an earlier Job of this name has left behind."""
        uid = objects.uid_of(job) if job is not None else ""
        for pod in candidates:
            owner = (objects.controller_of(pod) or {}).get("uid")
            if pods.is_tracked(pod) and owner != uid and key in keys_of_pod(pod):
                await effects.release(self.client, pod)
