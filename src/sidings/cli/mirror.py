"""All jobs of a namespace, kept current by watches while a command follows one of them.

Each change wakes whoever waits in ``changed``; what changed does not matter, the state is computed anew from all
objects. A lost connection is no end: the job goes on without us, so the watch is taken up again until the server has
been away for ``PATIENCE`` seconds (long enough for an engine to be restarted).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from sidings.answers.family import TRAINING_JOBS, Family, families
from sidings.api.objects import Object, uid_of
from sidings.api.resources import EVENTS, JOB_SETS, JOBS, PODS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import Expired, Forbidden, NotFound, ServiceUnavailable
from sidings.client.errors import ServerUnreachable
from sidings.client.interface import Client
from sidings.clock import Clock

PATIENCE = 60.0
RETRY_SECONDS = 0.5
_SELECTORS: Mapping[Resource, str] = {
    **dict.fromkeys((TRAIN_JOBS, *TRAINING_JOBS, JOB_SETS, JOBS, PODS, WORKLOADS), ""),
    EVENTS: "type=Warning",
}


class Mirror:
    """Objects by resource and uid. Use ``open_mirror``."""

    def __init__(self, client: Client, clock: Clock, namespace: str) -> None:
        self._client = client
        self._clock = clock
        self._namespace = namespace
        self._objects: dict[Resource, dict[str, Object]] = {resource: {} for resource in _SELECTORS}
        self._wake = asyncio.Event()
        self._lost_at: float | None = None
        self._listed: set[Resource] = set()

    @property
    def connected(self) -> bool:
        return self._lost_at is None

    @property
    def complete(self) -> bool:
        """Every resource has been listed, so what is not here does not exist."""
        return self._listed == set(_SELECTORS)

    def families(self) -> list[Family]:
        objects = self._objects
        return families(
            train_jobs=objects[TRAIN_JOBS].values(),
            training_jobs=[job for resource in TRAINING_JOBS for job in objects[resource].values()],
            job_sets=objects[JOB_SETS].values(),
            jobs=objects[JOBS].values(),
            pods=objects[PODS].values(),
            events=objects[EVENTS].values(),
            workloads=objects[WORKLOADS].values(),
        )

    def family(self, uid: str) -> Family | None:
        """The family with the root ``uid``; None before it was seen and after it was deleted."""
        return next((family for family in self.families() if uid_of(family.root) == uid), None)

    async def changed(self) -> None:
        """Until something has changed since the last call."""
        await self._wake.wait()
        self._wake.clear()

    async def follow(self) -> None:
        """Keep the mirror current; ends with the last error when the server stays away."""
        async with asyncio.TaskGroup() as tasks:
            for resource in _SELECTORS:
                tasks.create_task(self._watch(resource))

    async def _watch(self, resource: Resource) -> None:
        selector = _SELECTORS[resource]
        while True:
            try:
                page = await self._client.list(resource, self._namespace, field_selector=selector)
                self._put(resource, {uid_of(obj): obj for obj in page.items})
                async for event in self._client.watch(
                    resource, self._namespace, resource_version=page.resource_version, field_selector=selector
                ):
                    known = self._objects[resource]
                    if event.type == "DELETED":
                        known.pop(uid_of(event.object), None)
                    elif event.type != "BOOKMARK":
                        known[uid_of(event.object)] = event.object
                    self._wake.set()
            except NotFound:
                self._put(resource, {})
                return  # a cluster that does not serve this kind
            except Forbidden:
                if resource != WORKLOADS:
                    raise
                self._put(resource, {})
                return  # who may not see them sees their jobs suspended
            except Expired:
                continue
            except (ServerUnreachable, ServiceUnavailable):
                if not self._may_wait():
                    raise
            await self._clock.sleep(RETRY_SECONDS)

    def _put(self, resource: Resource, objects: dict[str, Object]) -> None:
        """All there are now, in one step: what is missing has been deleted, not just not been seen yet."""
        self._objects[resource] = objects
        self._listed.add(resource)
        self._lost_at = None
        self._wake.set()

    def _may_wait(self) -> bool:
        """Note that the server is away; False once patience is at its end."""
        now = self._clock.monotonic()
        if self._lost_at is None:
            self._lost_at = now
            self._wake.set()
        return now - self._lost_at <= PATIENCE


@asynccontextmanager
async def open_mirror(client: Client, clock: Clock, namespace: str) -> AsyncIterator[Mirror]:
    """A mirror that is followed as long as the body runs."""
    mirror = Mirror(client, clock, namespace)
    async with asyncio.TaskGroup() as tasks:
        following = tasks.create_task(mirror.follow())
        try:
            yield mirror
        finally:
            following.cancel()
