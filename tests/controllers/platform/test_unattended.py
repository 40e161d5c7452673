"""Jobs of a component that is off are told so, once for what they ask for."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sidings.api.objects import Object
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, EVENTS, JOB_SET_OPERATORS, JOB_SETS, TRAIN_JOBS
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime
TRAINER_OFF = {
    "metadata": {"name": "dsc"},
    "spec": {"components": {"trainingoperator": {"managementState": "Managed"}}},
}


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


async def submit(plane: ControlPlane, **spec: object) -> None:
    job = {"metadata": {"name": "tj"}, "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {}, **spec}}
    await plane.client.create(TRAIN_JOBS, job, namespace="default")
    await plane.clock.sleep(1)


async def told(plane: ControlPlane) -> list[tuple[str, str, int]]:
    """(kind, name, count) of the events that say who is off."""
    events: list[Object] = (await plane.client.list(EVENTS, "default")).items
    return [
        (event["involvedObject"]["kind"], event["involvedObject"]["name"], event["count"])
        for event in events
        if event["reason"] == "ComponentRemoved"
    ]


async def test_a_job_without_its_controller_is_told_once(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, TRAINER_OFF)
    await plane.clock.sleep(1)
    await submit(plane)
    labels = {"metadata": {"labels": {"seen": "again"}}}
    await plane.client.patch(TRAIN_JOBS, "tj", labels, namespace="default")
    await plane.clock.sleep(1)
    assert await told(plane) == [("TrainJob", "tj", 1)]


async def test_a_suspended_job_is_told_when_it_is_resumed(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, TRAINER_OFF)
    await plane.clock.sleep(1)
    await submit(plane, suspend=True)
    assert await told(plane) == []
    await plane.client.patch(TRAIN_JOBS, "tj", {"spec": {"suspend": False}}, namespace="default")
    await plane.clock.sleep(1)
    assert await told(plane) == [("TrainJob", "tj", 1)]


async def test_what_is_on_again_tells_nobody(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, TRAINER_OFF)
    await plane.clock.sleep(1)
    await plane.client.delete(DATA_SCIENCE_CLUSTERS, "dsc")
    await plane.clock.sleep(1)
    await submit(plane)
    assert await told(plane) == []
    assert await plane.client.get(JOB_SETS, "tj", "default")


async def test_a_train_job_is_told_for_its_job_set(plane: ControlPlane) -> None:
    operator = {"metadata": {"name": "cluster"}, "spec": {"managementState": "Removed"}}
    await plane.client.create(JOB_SET_OPERATORS, operator)
    await plane.clock.sleep(1)
    await submit(plane)
    assert await told(plane) == [("TrainJob", "tj", 1)]
