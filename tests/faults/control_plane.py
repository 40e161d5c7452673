"""The controllers of all kinds of jobs and of nodes, each with a faulty client of its own, made anew when it dies."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Protocol

from sidings.api.catalog import builtin
from sidings.api.feature_gates import FeatureGates
from sidings.api.resources import (
    CLAIMS,
    CONFIG_MAPS,
    CRON_JOBS,
    JOB_SETS,
    JOBS,
    NAMESPACES,
    NODES,
    PODS,
    SERVICES,
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    Resource,
)
from sidings.client.interface import Client
from sidings.client.local import LocalClient
from sidings.controllers.cronjob.controller import CronJobController
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.controllers.job.controller import JobController
from sidings.controllers.job.ttl import TtlController
from sidings.controllers.jobset.controller import JobSetController
from sidings.controllers.nodes.eviction import TaintEviction
from sidings.controllers.nodes.life_cycle import NodeLifeCycle
from sidings.controllers.nodes.pod_collector import PodCollector
from sidings.controllers.trainjob.controller import TrainJobController
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.faults.clocks import JumpingClock
from tests.faults.faulty_client import Crash, FaultyClient, Weather

OWNED: tuple[Resource, ...] = (
    TRAIN_JOBS,
    TRAINING_RUNTIMES,
    JOB_SETS,
    CRON_JOBS,
    JOBS,
    PODS,
    SERVICES,
    CONFIG_MAPS,
    CLAIMS,
    NODES,
    NAMESPACES,
)
"""What the garbage collector follows here: every kind that occurs."""
LONGEST_DOWNTIME = 5.0


class Runnable(Protocol):
    async def run(self) -> None: ...


Make = Callable[[Client, JumpingClock, random.Random, FeatureGates], Runnable]
CONTROLLERS: Mapping[str, Make] = {
    "trainjob": lambda client, clock, rng, gates: TrainJobController(client, clock, rng),
    "jobset": JobSetController,
    "cronjob": lambda client, clock, rng, gates: CronJobController(client, clock, rng),
    "job": lambda client, clock, rng, gates: JobController(client, clock, rng),
    "ttl": lambda client, clock, rng, gates: TtlController(client, clock, rng),
    "garbage": lambda client, clock, rng, gates: GarbageCollector(client, clock, rng, OWNED),
    "node": lambda client, clock, rng, gates: NodeLifeCycle(client, clock, rng),
    "eviction": lambda client, clock, rng, gates: TaintEviction(client, clock, rng),
    "podgc": lambda client, clock, rng, gates: PodCollector(client, clock, rng),
}

Wrap = Callable[[Client], Client]


class FaultyControlPlane:
    """``client`` never fails and is the world's: users, nodes and the ledger speak through it."""

    def __init__(
        self,
        rng: random.Random,
        weather: Weather,
        planted: Mapping[str, Wrap],
        gates: FeatureGates,
        controllers: Mapping[str, Make] = CONTROLLERS,
    ) -> None:
        """``planted`` puts something more between a controller, by its name, and its client: a bug."""
        self.controllers = controllers
        self.clock = JumpingClock()
        self._rng = rng
        self._weather = weather
        self._planted = planted
        self._gates = gates
        registry = Registry(
            Store.in_memory(),
            builtin(),
            self.clock,
            rng,
            admission=defaults.plugins(self.clock, service_accounts=False, gates=gates),
        )
        self.client = LocalClient(registry)
        self._lives: dict[str, FaultyClient] = {}

    async def run(self) -> None:
        """Until cancelled: keep every controller alive."""
        async with asyncio.TaskGroup() as tasks:
            for name, make in self.controllers.items():
                tasks.create_task(self._keep_alive(name, make), name=name)

    def crash(self, name: str, calls: int) -> None:
        """Let the controller die ``calls`` awaits from now."""
        if name in self._lives:
            self._lives[name].crash_after(calls)

    async def _keep_alive(self, name: str, make: Make) -> None:
        while True:
            life = self._lives[name] = FaultyClient(self.client, self._rng, self._weather)
            client = self._planted[name](life) if name in self._planted else life
            try:
                await _alone(make(client, self.clock, self._rng, self._gates).run())
            except* Crash:
                self._weather.seen["crash"] += 1
            await asyncio.sleep(self._rng.random() * LONGEST_DOWNTIME)


async def _alone(run: Coroutine[Any, Any, None]) -> None:
    """In a task of its own: a task group that is cancelled in the moment of a crash would raise the crash alone."""
    task = asyncio.create_task(run)
    try:
        await asyncio.wait([task])
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise
    await task
