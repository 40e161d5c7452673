"""The loop of one controller: watches make keys, workers reconcile them, failures come back later.

A controller says which resource it is about (``resource``), which other resources tell it to look (``triggers``, each
with a function from a changed object to keys) and what to do with a key (``reconcile``). Everything else is here, once.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import ClassVar

from sidings.api.objects import Key, Object, controller_of, key_of, namespace_of
from sidings.api.resources import Resource
from sidings.api.status import ApiError, Conflict, Expired
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.queue import BASE_DELAY, MAX_DELAY, WorkQueue

log = logging.getLogger(__name__)

Mapper = Callable[[Object], Iterable[Key]]
REWATCH_SECONDS = 1.0


def keys_of_controller(kind: str) -> Mapper:
    """From a dependent to its controlling owner of ``kind``."""

    def keys(obj: Object) -> Iterable[Key]:
        owner = controller_of(obj)
        return (Key(namespace_of(obj), owner["name"]),) if owner and owner["kind"] == kind else ()

    return keys


async def at_once() -> None:
    """Nobody has to be waited for."""


class Controller:
    """Base of all controllers; a subclass sets the class variables and defines ``reconcile``."""

    name: ClassVar[str]
    resource: ClassVar[Resource]
    triggers: ClassVar[Mapping[Resource, Mapper]] = {}
    workers: ClassVar[int] = 4
    first_retry: ClassVar[float] = BASE_DELAY
    """Seconds after which a key that failed is tried again; doubles up to ``longest_retry``."""
    longest_retry: ClassVar[float] = MAX_DELAY

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        self.client = client
        self.clock = clock
        self.rng = rng
        self.turn: Callable[[], Awaitable[None]] = at_once
        """Waited for before each reconciliation; whoever runs the controller may slow it down by it."""
        self.queue = WorkQueue(clock, rng, base_delay=self.first_retry, max_delay=self.longest_retry)

    def keys(self, obj: Object) -> Iterable[Key]:
        """Which keys a change of an object of ``resource`` itself concerns; by default its own."""
        return (key_of(obj),)

    def settle_seconds(self, obj: Object) -> float:
        """How long a change of ``obj``, of one of the triggers, waits for more, so that a burst of them is one pass."""
        return 0.0

    def watched(self) -> Mapping[Resource, Mapper]:
        """The resources that tell it to look besides its own; by default ``triggers``."""
        return self.triggers

    async def leftovers(self) -> Iterable[Key]:
        """Keys whose object may have gone while nobody watched, where that leaves something which no owner reference
        takes along; asked after a start and after each gap in the watch of ``resource``. By default there are none.
        """
        return ()

    async def reconcile(self, key: Key) -> float | None:
        """Bring the object at ``key`` one step nearer to what it asks for.

        Returns seconds after which to look again, or None. Raises ApiError to be called again after a back-off.
        """
        raise NotImplementedError(f"{type(self).__name__} must say how to reconcile")

    async def run(self) -> None:
        """Watch and work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._watch(self.resource, self.keys), name=f"{self.name} watch {self.resource.plural}")
            for resource, mapper in self.watched().items():
                tasks.create_task(
                    self._watch(resource, mapper, self.settle_seconds), name=f"{self.name} watch {resource.plural}"
                )
            for number in range(self.workers):
                tasks.create_task(self._work(), name=f"{self.name} worker {number}")

    async def _watch(self, resource: Resource, mapper: Mapper, settle: Callable[[Object], float] | None = None) -> None:
        """Every change of ``resource`` becomes keys. A watch that ends starts anew with all existing objects."""
        interrupted = False
        while True:
            try:
                own = resource == self.resource
                version = await self._catch_up(resource, mapper, settle) if interrupted or own else ""
                interrupted = True
                async for event in self.client.watch(resource, resource_version=version):
                    if event.type != "BOOKMARK":
                        self._enqueue(event.object, mapper, settle)
            except Expired:
                continue
            except ApiError as error:
                log.warning("%s: watch of %s failed: %s", self.name, resource.plural, error)
            await self.clock.sleep(REWATCH_SECONDS)

    async def _catch_up(self, resource: Resource, mapper: Mapper, settle: Callable[[Object], float] | None) -> str:
        """All there is of ``resource`` becomes keys; returns the version to watch from.

        What was deleted while nobody watched is in no list. Informers know it by their cache; here all objects of the
        controller's own resource are looked at instead: any of them may have lost a dependent that it waits to see go.
        Those of its own resource that went are ``leftovers``.
        """
        found = await self.client.list(resource)
        for obj in found.items:
            self._enqueue(obj, mapper, settle)
        if resource == self.resource:
            for key in await self.leftovers():
                self.queue.add(key)
        else:
            for obj in (await self.client.list(self.resource)).items:
                self._enqueue(obj, self.keys, None)
        return found.resource_version

    def _enqueue(self, obj: Object, mapper: Mapper, settle: Callable[[Object], float] | None) -> None:
        for key in mapper(obj):
            self.queue.add_after(key, settle(obj) if settle else 0.0)

    async def _work(self) -> None:
        while True:
            key = await self.queue.get()
            await self.turn()
            try:
                again = await self.reconcile(key)
            except Conflict as error:
                log.debug("%s: %s was changed meanwhile: %s", self.name, key, error)
                self.queue.add_after(key, BASE_DELAY)
            except ApiError as error:
                delay = self.queue.retry(key)
                log.info("%s: %s failed, again in %.3f s: %s", self.name, key, delay, error)
            except Exception:
                # A bug in one policy must not take the other objects of the engine with it.
                delay = self.queue.retry(key)
                log.exception("%s: %s failed unexpectedly, again in %.3f s", self.name, key, delay)
            else:
                self.queue.forget(key)
                if again is not None:
                    self.queue.add_after(key, again)
            finally:
                self.queue.done(key)
