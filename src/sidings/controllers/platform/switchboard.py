"""Runs those parts of the stack that the platform's objects have on, and ends those that they have off.

To switch a part off is to cancel its controllers, as a deployment is scaled to nothing: objects stay as they are, and
pods go on; what stands in for them says so to jobs (``unattended``). To switch it on is to run them anew; they look at
everything first, so nothing that happened meanwhile is missed.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol

from sidings.api.objects import Key, Object
from sidings.api.platform import components
from sidings.api.platform.components import Component
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, JOB_SET_OPERATORS, KUEUE_OPERATORS, Resource
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.platform.controller import ALL, everything
from sidings.controllers.runtime.controller import Controller, Mapper
from sidings.controllers.runtime.supervision import keep_running

log = logging.getLogger(__name__)


class Runnable(Protocol):
    """Something that runs until cancelled, and can be run again."""

    async def run(self) -> None: ...


class Parts(NamedTuple):
    """What belongs to a component: its controllers, and what stands in for them while it is off."""

    on: Sequence[Runnable]
    off: Sequence[Runnable] = ()


class Switchboard(Controller):
    """``parts``: of each component that can be switched."""

    name = "switchboard"
    resource = DATA_SCIENCE_CLUSTERS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {JOB_SET_OPERATORS: everything, KUEUE_OPERATORS: everything}
    workers = 1

    def __init__(self, client: Client, clock: Clock, rng: random.Random, parts: Mapping[Component, Parts]) -> None:
        super().__init__(client, clock, rng)
        self._parts = parts
        self._running: dict[Component, tuple[bool, list[asyncio.Task[None]]]] = {}

    def keys(self, obj: Object) -> Iterable[Key]:
        return everything(obj)

    async def run(self) -> None:
        """Until cancelled, and everything that is on with it."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            await self.reconcile(ALL)
            await super().run()

    async def reconcile(self, key: Key) -> float | None:
        """Bring what runs in line with the objects."""
        clusters, job_set, kueue = [(await self.client.list(resource)).items for resource in components.SWITCHES]
        on = components.running(clusters, job_set, kueue)
        for component, parts in self._parts.items():
            is_on, ended = self._running.get(component, (None, []))
            if is_on is (component in on):
                continue
            for task in ended:
                task.cancel()
            if ended:
                await asyncio.wait(ended)
            log.info("component %s is %s", component, "on" if component in on else "off")
            begun = parts.on if component in on else parts.off
            self._running[component] = component in on, [self._begin(component, part) for part in begun]
        return None

    def _begin(self, component: Component, part: Runnable) -> asyncio.Task[None]:
        name = f"{component}: {type(part).__name__}"
        return self._tasks.create_task(keep_running(name, part.run, self.clock), name=name)
