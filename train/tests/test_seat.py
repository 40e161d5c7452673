from __future__ import annotations

import pytest

from sidings_train.errors import LaunchError
from sidings_train.seat import Seat, from_environment

TORCHRUN = {"RANK": "3", "LOCAL_RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "node-0", "MASTER_PORT": "29400"}
PET = {
    "PET_NNODES": "2",
    "PET_NPROC_PER_NODE": "1",
    "PET_NODE_RANK": "1",
    "PET_MASTER_ADDR": "n0",
    "PET_MASTER_PORT": "29500",
}


def test_torchrun() -> None:
    assert from_environment(TORCHRUN) == Seat(3, 4, 1, ("node-0", 29400))
    assert from_environment({**TORCHRUN, "TORCHELASTIC_USE_AGENT_STORE": "True"}).agent_store


def test_torchrun_wins_over_what_the_pod_has() -> None:
    assert from_environment({**PET, **TORCHRUN}).rank == 3


def test_a_pod_of_the_training_operator_has_one_process() -> None:
    pod = {name: value for name, value in TORCHRUN.items() if name != "LOCAL_RANK"}
    assert from_environment(pod) == Seat(3, 4, 0, ("node-0", 29400))


def test_a_pod_of_trainer_without_torchrun() -> None:
    assert from_environment(PET) == Seat(1, 2, 0, ("n0", 29500))


@pytest.mark.parametrize("env", [{}, {"PET_NNODES": "1", "PET_NPROC_PER_NODE": "auto"}, {"PET_NNODES": "1"}])
def test_alone(env: dict[str, str]) -> None:
    assert from_environment(env) == Seat()


@pytest.mark.parametrize(
    "change",
    [
        {"PET_NPROC_PER_NODE": "2"},
        {"PET_NPROC_PER_NODE": "auto"},
        {"PET_NNODES": "1:4"},
        {"PET_NNODES": "1", "PET_NPROC_PER_NODE": "8"},
    ],
)
def test_several_processes_a_node_need_torchrun(change: dict[str, str]) -> None:
    with pytest.raises(LaunchError, match=r"torchrun train\.py"):
        from_environment({**PET, **change})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"WORLD_SIZE": ""}, "WORLD_SIZE is not set"),
        ({"MASTER_PORT": "http"}, "MASTER_PORT='http' is not a number"),
        ({"RANK": "4"}, "rank 4 of a world of 4"),
        ({"RANK": "-1"}, "is not a number"),
    ],
)
def test_contradictions_are_said(change: dict[str, str], said: str) -> None:
    with pytest.raises(LaunchError, match=said):
        from_environment({**TORCHRUN, **change})
