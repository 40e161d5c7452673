"""GPUs and CPUs as Trainer counts them (cases T1 to T6)."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.trainer import resources
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job


@pytest.mark.parametrize(
    ("given", "gpus"),
    [
        ({"limits": {"nvidia.com/gpu": 4}}, 4),
        ({"requests": {"nvidia.com/gpu": "2"}, "limits": {"nvidia.com/gpu": "4"}}, 2),
        ({"requests": {"cpu": 1}, "limits": {"example.com/GPU": 2, "amd.com/gpu": 1}}, 3),
        ({"limits": {"nvidia.com/mig-1g.5gb": 2, "google.com/tpu": 4}}, 0),
        ({"limits": {"nvidia.com/gpu": 0}}, 0),
        ({}, 0),
    ],
)
def test_gpus(given: Object, gpus: int) -> None:
    assert resources.gpus_of(given) == gpus


@pytest.mark.parametrize(
    ("given", "cpus"),
    [
        ({"requests": {"cpu": "4"}}, 4),
        ({"requests": {"cpu": 2}, "limits": {"cpu": 6}}, 2),
        ({"requests": {"cpu": 0}, "limits": {"cpu": 6}}, 6),
        ({"limits": {"cpu": "2.5"}}, 3),
        ({"limits": {"cpu": "2500m"}}, 3),
        ({"limits": {"cpu": "0.7"}}, 1),
        ({"limits": {"memory": "1Gi"}}, 0),
    ],
)
def test_cpus_are_rounded_up(given: Object, cpus: int) -> None:
    assert resources.cpus_of(given) == cpus


def test_own_resources_hide_those_of_the_runtime() -> None:
    with_gpus = runtime(trainer_job(resources={"limits": {"nvidia.com/gpu": "8"}}))
    assert resources.resources_per_node(train_job({}), with_gpus) == {"limits": {"nvidia.com/gpu": "8"}}
    own = {"limits": {"cpu": "2"}}
    assert resources.resources_per_node(train_job({"resourcesPerNode": own}), with_gpus) == own
    assert resources.resources_per_node(train_job({"resourcesPerNode": {}}), with_gpus) == {}


def test_only_the_node_container_of_a_training_job_counts() -> None:
    side = replicated_job("side", resources={"limits": {"cpu": "9"}})
    other = trainer_job("t", container="other", resources={"limits": {"cpu": "9"}})
    assert resources.resources_per_node(train_job({}), runtime(side, other)) == {}
    plain_node = replicated_job("node", resources={"limits": {"cpu": "3"}})
    assert resources.resources_per_node(train_job({}), runtime(side, plain_node)) == {"limits": {"cpu": "3"}}
