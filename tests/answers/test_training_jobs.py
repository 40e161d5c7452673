"""Families of the Training Operator's jobs, whose pods have no Job between: members, ranks, state."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.answers.family import Family, completion_index, families, short_name
from sidings.answers.state import state_of
from sidings.api.objects import Object
from sidings.api.training_operator import framework
from sidings.controllers.pytorchjob.operator import PyTorchOperator
from tests.controllers.training_operator.cluster import Cluster, replica, started


def family(cluster: Cluster) -> Family:
    """As the API shows what the controller made."""
    created = {"creationTimestamp": "2026-01-01T00:00:00Z"}
    pods = [{**pod, "metadata": {**pod["metadata"], **created}} for pod in cluster.pods.values()]
    (found,) = families(training_jobs=[cluster.job], pods=pods)
    return found


def torch(workers: int = 1, running: tuple[str, ...] = (), **spec: Any) -> Cluster:
    roles: dict[str, Object] = {"Master": replica("pytorch")}
    if workers:
        roles["Worker"] = replica("pytorch", workers)
    return started(PyTorchOperator(), roles, running, **spec)


def word(cluster: Cluster) -> str:
    return state_of(family(cluster)).word


def test_pods_in_the_order_of_their_ranks() -> None:
    found = family(torch(workers=2))
    assert found.wanted_pods() == 3
    assert [(short_name(pod), completion_index(pod)) for pod in found.pods] == [
        ("x-master-0", 0),
        ("x-worker-0", 1),
        ("x-worker-1", 2),
    ]


def test_without_a_master_the_index_is_the_rank() -> None:
    cluster = started(PyTorchOperator(), {"Worker": replica("pytorch", 2)})
    assert [completion_index(pod) for pod in family(cluster).pods] == [0, 1]


@pytest.mark.parametrize(
    ("running", "state"), [((), "Queued"), (("master-0",), "Queued"), (("master-0", "worker-0"), "Running")]
)
def test_a_job_runs_when_all_of_its_pods_do(running: tuple[str, ...], state: str) -> None:
    assert word(torch(running=running)) == state


def test_the_end_and_a_suspension() -> None:
    cluster = torch(running=("master-0", "worker-0"))
    cluster.set("master-0", "Succeeded", code=0)
    assert word(cluster.settle()) == "Succeeded"
    assert word(torch(runPolicy={"suspend": True})) == "Suspended"


def test_a_failure_names_its_pod() -> None:
    roles = {"Master": replica("pytorch", restartPolicy="Never")}
    cluster = started(PyTorchOperator(), roles, ["master-0"])
    cluster.set("master-0", "Failed", code=3)
    verdict = state_of(family(cluster.settle()))
    assert verdict.word == "Failed"
    assert verdict.reason == "PyTorchJobFailed: x-master-0 exited with 3 (Error)"


def test_containers_that_were_started_again_are_its_restarts() -> None:
    cluster = torch(running=("master-0", "worker-0"))
    cluster.set("worker-0", "Running", restarts=2)
    assert state_of(family(cluster)).restarts == (2, 2)


def test_only_its_own_kinds_have_a_framework() -> None:
    assert framework.of_object({"apiVersion": "batch/v1", "kind": "Job"}) is None
    assert framework.of_object({"apiVersion": "kubeflow.org/v1", "kind": "JAXJob"}) is framework.JAX
