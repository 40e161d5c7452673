from __future__ import annotations

import json
from typing import Any

from sidings.controllers.tfjob.operator import TensorFlowOperator
from tests.controllers.training_operator.cluster import Cluster, replica, started


def job(*roles: str, workers: int = 2, **spec: Any) -> Cluster:
    """A cluster of the roles given (all with one pod but the workers) that runs."""
    counts = {role: workers if role == "Worker" else 1 for role in roles}
    running = [f"{role.lower()}-{number}" for role, count in counts.items() for number in range(count)]
    return started(
        TensorFlowOperator(), {role: replica("tensorflow", count) for role, count in counts.items()}, running, **spec
    )


def end(cluster: Cluster, **codes: int) -> Cluster:
    """Pods (``worker_0=1``) end with these codes."""
    for name, code in codes.items():
        cluster.set(name.replace("_", "-"), "Failed" if code else "Succeeded", code=code)
    return cluster.settle()


def test_tf_config_of_a_cluster() -> None:
    cluster = job("Chief", "PS", "Worker", workers=1)
    ((name, text),) = cluster.env("worker-0")
    assert name == "TF_CONFIG"
    assert text == (
        '{"cluster":{"chief":["x-chief-0.ns.svc:2222"],"ps":["x-ps-0.ns.svc:2222"],"worker":["x-worker-0.ns.svc:2222"]},'
        '"task":{"type":"worker","index":0},"environment":"cloud"}'
    )


def test_a_single_pod_and_other_containers_get_none() -> None:
    assert job("Worker", workers=1).env("worker-0") == []
    role = replica("tensorflow", 2)
    role["template"]["spec"]["containers"].append({"name": "sidecar", "image": "img"})
    assert started(TensorFlowOperator(), {"Worker": role}).env("worker-0", 1) == []


def test_dynamic_workers_know_themselves_and_the_parameter_servers() -> None:
    cluster = job("PS", "Worker", enableDynamicWorker=True)
    assert json.loads(cluster.env("worker-1")[0][1]) == {
        "cluster": {"worker": {"1": "x-worker-1.ns.svc:2222"}, "ps": ["x-ps-0.ns.svc:2222"]},
        "task": {"type": "worker", "index": 1},
    }
    assert json.loads(cluster.env("ps-0")[0][1])["cluster"] == {"worker": {}, "ps": ["x-ps-0.ns.svc:2222"]}


def test_case_43_workers_that_fail_beside_a_running_chief_fail_the_job() -> None:
    cluster = end(job("Chief", "Worker"), worker_0=1, worker_1=1)
    assert cluster.conditions == [
        "Created=True/TFJobCreated",
        "Running=False/TFJobRunning",
        "Failed=True/TFJobFailed",
    ]
    assert cluster.message("Failed") == "TFJob ns/x has failed because 2 Worker replica(s) failed."


def test_case_43_worker_0_ends_a_job_without_chief_unless_all_have_to() -> None:
    assert end(job("Worker", workers=4), worker_0=0).conditions[-1] == "Succeeded=True/TFJobSucceeded"
    patient = end(job("Worker", workers=4, successPolicy="AllWorkers"), worker_0=0)
    assert patient.conditions[-1] == "Running=True/TFJobRunning"


def test_case_44_a_parameter_server_is_needed_and_workers_are_not_once_the_chief_is_done() -> None:
    assert end(job("Chief", "PS", "Worker"), ps_0=1).conditions[-1] == "Failed=True/TFJobFailed"
    done = end(job("Chief", "Worker"), chief_0=0, worker_0=1, worker_1=1)
    assert done.conditions[-1] == "Succeeded=True/TFJobSucceeded"


def test_dynamic_workers_may_fail() -> None:
    cluster = end(job("PS", "Worker", enableDynamicWorker=True), worker_1=1)
    assert not any(condition.startswith("Failed") for condition in cluster.conditions)
