"""A refused Job is told on the TrainJob."""

from __future__ import annotations

import asyncio
import random

import pytest

from sidings.api.objects import Object
from sidings.api.resources import JOB_SETS
from sidings.client.events import EventNote, Recorder
from sidings.controllers.jobset.controller import JobSetController
from tests.controllers.trainjob.conftest import World
from tests.trainjobs import NAMESPACE, train_job

pytestmark = pytest.mark.looptime

LIMIT = (
    'Job.batch "tj-node-0" is invalid: spec.template.spec.containers[0].resources.limits: Required value: Limit must '
    "be set for non overcommitable resources"
)


async def record(world: World, about: Object, reason: str, message: str = LIMIT) -> None:
    """An event of the JobSet controller."""
    recorder = Recorder(world.client, world.clock, "jobset", classic=False)
    await recorder.record(EventNote(about, "Warning", reason, message, action="Reconciling"))
    await world.settle()


async def test_refusal_is_repeated_once(world: World) -> None:
    await world.submit(train_job({}))
    job_set = await world.job_set()
    assert job_set is not None
    for _ in range(3):
        await record(world, job_set, "JobCreationFailed")
    assert await world.events() == [("Warning", "JobCreationFailed", LIMIT)]
    assert await world.conditions() == []


async def test_every_reason_is_told(world: World) -> None:
    await world.submit(train_job({}))
    job_set = await world.job_set()
    assert job_set is not None
    await record(world, job_set, "JobCreationFailed", "one")
    await record(world, job_set, "JobCreationFailed", "two")
    assert sorted(message for _, _, message in await world.events()) == ["one", "two"]


async def test_other_events_are_not(world: World) -> None:
    await world.submit(train_job({}))
    job_set = await world.job_set()
    assert job_set is not None
    await record(world, job_set, "SuspendedJobs")
    await record(world, await world.job(), "JobCreationFailed")
    assert [reason for _, reason, _ in await world.events()] == ["JobCreationFailed"]


async def test_job_set_of_nobody(world: World) -> None:
    name = f"js-{random.Random(1).randrange(9)}"
    body = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": name},
        "spec": {
            "replicatedJobs": [
                {
                    "name": "a",
                    "template": {"spec": {"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}}},
                }
            ]
        },
    }
    job_set = await world.client.create(JOB_SETS, body, namespace=NAMESPACE)
    await record(world, job_set, "JobCreationFailed")
    assert await world.events(name) == []


async def test_requests_without_limits_end_to_end(world: World) -> None:
    """As often written: the API refuses the pods of extended resources that have no equal limit."""
    jobs = JobSetController(world.client, world.clock, random.Random(3))
    task = asyncio.create_task(jobs.run())
    await world.submit(train_job({"command": ["true"], "resourcesPerNode": {"requests": {"nvidia.com/gpu": 1}}}))
    task.cancel()
    ((type_, reason, message),) = await world.events()
    assert (type_, reason) == ("Warning", "JobCreationFailed")
    assert LIMIT in message
    assert await world.conditions() == []
