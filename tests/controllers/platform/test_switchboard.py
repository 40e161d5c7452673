"""Components are switched on and off while everything else goes on."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sidings.api import conditions
from sidings.api.objects import Object
from sidings.api.resources import (
    DATA_SCIENCE_CLUSTERS,
    DATA_SCIENCE_CLUSTERS_V1,
    JOB_SET_OPERATORS,
    JOB_SETS,
    PYTORCH_JOBS,
    TRAIN_JOBS,
)
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = pytest.mark.looptime


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


def cluster(**states: str) -> Object:
    components = {name: {"managementState": state} for name, state in states.items()}
    return {"metadata": {"name": "default-dsc"}, "spec": {"components": components}}


async def submit(plane: ControlPlane, name: str) -> None:
    job = {"metadata": {"name": name}, "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {}}}
    await plane.client.create(TRAIN_JOBS, job, namespace="default")
    await plane.clock.sleep(1)


async def has_job_set(plane: ControlPlane, name: str) -> bool:
    try:
        await plane.client.get(JOB_SETS, name, "default")
    except NotFound:
        return False
    return True


async def test_removed_stops_and_managed_goes_on_with_what_is_there(plane: ControlPlane) -> None:
    await submit(plane, "before")
    assert await has_job_set(plane, "before")
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster(trainer="Removed"))
    await plane.clock.sleep(1)
    await submit(plane, "meanwhile")
    assert not await has_job_set(plane, "meanwhile")
    body = {"spec": {"components": {"trainer": {"managementState": "Managed"}}}}
    await plane.client.patch(DATA_SCIENCE_CLUSTERS, "default-dsc", body)
    await plane.clock.sleep(1)
    assert await has_job_set(plane, "meanwhile")


async def test_deleting_the_cluster_is_everything_again(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster(trainer="Removed"))
    await plane.clock.sleep(1)
    await plane.client.delete(DATA_SCIENCE_CLUSTERS, "default-dsc")
    await plane.clock.sleep(1)
    await submit(plane, "after")
    assert await has_job_set(plane, "after")


async def test_jobs_of_the_training_operator_wait_as_well(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster(trainer="Managed", trainingoperator="Removed"))
    await plane.clock.sleep(1)
    containers = [{"name": "pytorch", "image": "i"}]
    master = {"replicas": 1, "template": {"spec": {"containers": containers}}}
    job = {"metadata": {"name": "old"}, "spec": {"pytorchReplicaSpecs": {"Master": master}}}
    await plane.client.create(PYTORCH_JOBS, job, namespace="default")
    await plane.clock.sleep(1)
    assert "status" not in await plane.client.get(PYTORCH_JOBS, "old", "default")


async def test_jobset_is_switched_by_its_operator(plane: ControlPlane) -> None:
    operator = {"metadata": {"name": "cluster"}, "spec": {"managementState": "Removed"}}
    made = await plane.client.create(JOB_SET_OPERATORS, operator)
    await plane.clock.sleep(1)
    await submit(plane, "tj")
    assert "status" not in await plane.client.get(JOB_SETS, "tj", "default")
    made = await plane.client.get(JOB_SET_OPERATORS, "cluster")
    assert not conditions.is_true(made, "Available")
    await plane.client.patch(JOB_SET_OPERATORS, "cluster", {"spec": {"managementState": "Managed"}})
    await plane.clock.sleep(1)
    assert "status" in await plane.client.get(JOB_SETS, "tj", "default")
    assert conditions.is_true(await plane.client.get(JOB_SET_OPERATORS, "cluster"), "Available")


async def test_a_cluster_says_what_the_trainer_misses_until_it_is_there(plane: ControlPlane) -> None:
    await plane.client.create(DATA_SCIENCE_CLUSTERS, cluster(trainer="Managed"))
    await plane.clock.sleep(1)
    assert (await plane.client.get(DATA_SCIENCE_CLUSTERS, "default-dsc"))["status"]["phase"] == "Not Ready"
    await plane.client.create(JOB_SET_OPERATORS, {"metadata": {"name": "cluster"}, "spec": {}})
    await plane.clock.sleep(1)
    found = await plane.client.get(DATA_SCIENCE_CLUSTERS_V1, "default-dsc")
    assert found["status"]["phase"] == "Ready"
    assert conditions.is_true(found, "TrainerReady")
