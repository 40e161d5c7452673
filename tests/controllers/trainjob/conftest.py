"""A server in memory with the TrainJob controllers on it, on virtual time; a test plays the JobSet controller."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from sidings.api import catalog
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, JOB_SETS, NAMESPACES, TRAIN_JOBS, TRAINING_RUNTIMES
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.trainjob.controller import TrainJobController
from sidings.controllers.trainjob.refusals import RefusalForwarder
from sidings.controllers.trainjob.runtime_finalizer import ClusterTrainingRuntimeController, TrainingRuntimeController
from sidings.registry.admission import defaults
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.trainjobs import NAMESPACE, runtime


class World:
    """The objects of one namespace, and time."""

    def __init__(self, client: LocalClient, clock: LoopClock) -> None:
        self.client = client
        self.clock = clock

    async def settle(self, seconds: float = 1.0) -> None:
        """Let ``seconds`` pass: what is to happen by then has happened."""
        await self.clock.sleep(seconds)

    async def submit(self, job: Object) -> None:
        """Create a TrainJob and let the controller look at it."""
        job = {**job, "metadata": {"name": job["metadata"]["name"], "namespace": NAMESPACE}}
        await self.client.create(TRAIN_JOBS, job, namespace=NAMESPACE)
        await self.settle()

    async def job(self, name: str = "tj") -> Object:
        return await self.client.get(TRAIN_JOBS, name, NAMESPACE)

    async def job_set(self, name: str = "tj") -> Object | None:
        found = await self.client.list(JOB_SETS, NAMESPACE, field_selector=f"metadata.name={name}")
        return found.items[0] if found.items else None

    async def conditions(self, name: str = "tj") -> list[tuple[str, str, str]]:
        """Type, status and reason of each condition of the TrainJob, in order."""
        rows = ((await self.job(name)).get("status") or {}).get("conditions") or []
        return [(row["type"], row["status"], row["reason"]) for row in rows]

    async def patch(self, spec: Object, name: str = "tj") -> None:
        """Merge ``spec`` into the TrainJob's and let the controller look."""
        await self.client.patch(TRAIN_JOBS, name, {"spec": spec}, namespace=NAMESPACE)
        await self.settle()

    async def set_job_set_status(self, status: Object, name: str = "tj") -> None:
        """Play the JobSet controller."""
        await self.client.patch(JOB_SETS, name, {"status": status}, namespace=NAMESPACE, subresource="status")
        await self.settle()

    async def events(self, name: str = "tj") -> list[tuple[str, str, str]]:
        """Type, reason and message of the events about the TrainJob."""
        found = await self.client.list(
            EVENTS, NAMESPACE, field_selector=f"involvedObject.kind=TrainJob,involvedObject.name={name}"
        )
        return [(event["type"], event["reason"], event["message"]) for event in found.items]


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """With the runtime ``rt``, whose policy is torch."""
    clock, rng = LoopClock(), random.Random(7)
    registry = Registry(Store.in_memory(), catalog.builtin(), clock, rng, admission=defaults.plugins(clock))
    client = LocalClient(registry)
    await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    await client.create(TRAINING_RUNTIMES, runtime(policy={"torch": {}}), namespace=NAMESPACE)
    controllers = (TrainJobController, RefusalForwarder, TrainingRuntimeController, ClusterTrainingRuntimeController)
    tasks = [asyncio.create_task(controller(client, clock, rng).run()) for controller in controllers]
    yield World(client, clock)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
