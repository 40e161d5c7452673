"""What comes with the engine is put in place, renewed, and taken away with its profile."""

from __future__ import annotations

import pytest

from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, CONFIG_MAPS
from sidings.controllers.trainjob import profiles, shipped
from tests.controllers.trainjob.conftest import World


async def installed(world: World) -> set[str]:
    return {item["metadata"]["name"] for item in (await world.client.list(CLUSTER_TRAINING_RUNTIMES)).items}


def named(profile: str) -> set[str]:
    return {item["metadata"]["name"] for item in profiles.profile(profile).runtimes}


@pytest.mark.looptime
async def test_install_renews_what_is_ours_and_leaves_what_is_not(world: World) -> None:
    await shipped.install(world.client)
    found = await world.client.get(CLUSTER_TRAINING_RUNTIMES, "torch-distributed")
    version = await world.client.get(CONFIG_MAPS, "kubeflow-trainer-public", "kubeflow-system")
    assert version["data"] == {"kubeflow_trainer_version": "v2.3.0"}
    await shipped.install(world.client)
    assert await world.client.get(CLUSTER_TRAINING_RUNTIMES, "torch-distributed") == found
    body = {"spec": {"mlPolicy": {"numNodes": 4}}}
    changed = await world.client.patch(CLUSTER_TRAINING_RUNTIMES, "torch-distributed", body, field_manager="user")
    await shipped.install(world.client)
    assert await world.client.get(CLUSTER_TRAINING_RUNTIMES, "torch-distributed") == changed


@pytest.mark.looptime
async def test_another_profile_takes_the_runtimes_of_the_one_before_away(world: World) -> None:
    await shipped.install(world.client, "rhoai-3.4")
    body = {"metadata": {"labels": {"mine": "yes"}}}
    await world.client.patch(CLUSTER_TRAINING_RUNTIMES, "training-hub-cpu", body, field_manager="user")
    await shipped.install(world.client, "rhoai-3.3")
    assert await installed(world) == {*named("rhoai-3.3"), "training-hub-cpu"}
    version = await world.client.get(CONFIG_MAPS, "kubeflow-trainer-public", "kubeflow-system")
    assert version["data"] == {"kubeflow_trainer_version": "v2.1.0"}
