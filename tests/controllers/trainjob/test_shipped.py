"""What comes with the engine."""

from __future__ import annotations

import pytest

from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, CONFIG_MAPS
from sidings.controllers.trainjob import job_set, shipped
from tests.controllers.trainjob.conftest import World
from tests.trainjobs import train_job


def test_torch_distributed() -> None:
    (torch,) = shipped.shipped_runtimes()
    assert torch["metadata"] == {"name": "torch-distributed", "labels": {"trainer.kubeflow.org/framework": "torch"}}
    built = job_set.build(train_job({"numNodes": 2, "command": ["torchrun", "x.py"]}), torch).job_set
    (node,) = built["spec"]["replicatedJobs"]
    assert node["template"]["spec"]["parallelism"] == 2
    (container,) = node["template"]["spec"]["template"]["spec"]["containers"]
    assert container["command"] == ["torchrun", "x.py"]
    assert container["env"][0] == {"name": "PET_NNODES", "value": "2"}


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
