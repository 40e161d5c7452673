"""All of Kueue as one: its controllers around one cache."""

from __future__ import annotations

import random
from typing import Protocol

from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.kueue.jobs import controller as jobs
from sidings.controllers.kueue.node_failures import NodeFailures
from sidings.controllers.kueue.pods.controller import QueuedPods
from sidings.controllers.kueue.queues import Queues
from sidings.controllers.kueue.scheduler import Scheduler
from sidings.controllers.kueue.settings import Settings
from sidings.controllers.kueue.topology_ungater import TopologyUngater
from sidings.controllers.kueue.workloads import Workloads
from sidings.controllers.runtime.controller import Controller


class Runnable(Protocol):
    """Something that runs until cancelled."""

    name: str

    async def run(self) -> None: ...


class Kueue:
    """``scheduler.cache`` says who waits and who holds what."""

    def __init__(self, client: Client, clock: Clock, rng: random.Random) -> None:
        settings = Settings(client, clock)
        self._settings = settings
        self.scheduler = Scheduler(client, clock, settings)
        self._queues = Queues(client, clock, self.scheduler.cache, settings)
        self._controllers = [
            Workloads(client, clock, rng, settings),
            QueuedPods(client, clock, rng, settings),
            TopologyUngater(client, clock, rng),
            NodeFailures(client, clock, rng),
            *jobs.controllers(client, clock, rng, settings),
        ]
        self.scheduler.changed = self._queues.look

    def controllers(self) -> list[Controller]:
        return list(self._controllers)

    def loops(self) -> list[Runnable]:
        """What runs beside the controllers."""
        return [self._settings, self.scheduler, self.scheduler.usage, self._queues]
