"""The unmodified Python clients, each doing a real job: the two SDKs of Kubeflow, `kubernetes` and `lightkube`.

They are no dependency of the tests, because they bring sixteen packages with them: `pip install 'sidings[clients]'`, or
an environment of their own that ``SIDINGS_CLIENTS_PYTHON`` names by its interpreter.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Machine

pytestmark = pytest.mark.e2e

PYTHON = os.environ.get("SIDINGS_CLIENTS_PYTHON", sys.executable)
MODULES = {
    "trainer_client": "kubeflow.trainer",
    "training_client": "kubeflow.training",
    "kubernetes_client": "kubernetes",
    "lightkube_client": "lightkube",
    "queued_client": "kubeflow.training",
}
SCRIPTS = Path(__file__).parent / "clients"


def answers(cluster: Machine, script: str, *words: str) -> dict[str, Any]:
    """What ``script`` was answered; skips where its SDK is not installed."""
    module = MODULES[script]
    if subprocess.run((PYTHON, "-c", f"import {module}"), capture_output=True, check=False).returncode:
        pytest.skip(f"{module} is not installed for {PYTHON}: pip install 'sidings[clients]'")
    done = subprocess.run(
        (PYTHON, str(SCRIPTS / f"{script}.py"), *words),
        env={**cluster.environ, "KUBECONFIG": str(cluster.home / "kubeconfig")},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_trainer_client_trains_a_function_on_two_nodes(cluster: Machine) -> None:
    found = answers(cluster, "trainer_client")
    assert "torch-distributed" in found["runtimes"]
    assert found["started"] in ("Running", "Complete")
    assert found["followed"][0] == "hello: rank 0 of 2, sum 1.0"
    assert found["status"] == "Complete"
    assert found["steps"] == [["node-0", "Succeeded"], ["node-1", "Succeeded"]]
    assert found["logs"] == [f"hello: rank {rank} of 2, sum 1.0" for rank in range(2)]
    assert "Started" in found["events"]
    assert found["listed"] == [True]


@pytest.mark.parametrize("workers", [2, 3])
def test_training_client_trains_a_function(cluster: Machine, workers: int) -> None:
    found = answers(cluster, "training_client", str(workers))
    pods = [f"sdk-{workers}-master-0", *(f"sdk-{workers}-worker-{index}" for index in range(workers - 1))]
    total = float(sum(range(workers)))
    assert found["conditions"] == [["Created", "True"], ["Running", "False"], ["Succeeded", "True"]]
    assert found["succeeded"]
    assert found["pods"] == pods
    assert found["master"] == pods[:1]
    assert found["logs"] == {pod: f"hello: rank {rank} of {workers}, sum {total}\n" for rank, pod in enumerate(pods)}
    assert found["rank"] == {pods[1]: found["logs"][pods[1]]}
    assert f"pytorchjob/sdk-{workers}" in found["told"]
    assert found["listed"] == [f"sdk-{workers}"]
    assert found["gone"]


def test_the_kubernetes_package_runs_a_job(cluster: Machine) -> None:
    found = answers(cluster, "kubernetes_client")
    assert found["watched"] == ["MODIFIED", True]
    assert found["logs"] == ["index 0\n", "index 1\n"]
    assert (found["patched"], found["note"], found["applied"]) == ("patched", "patched", {"a": "1"})
    assert found["conflict"] == [409, "AlreadyExists"]
    assert found["page"] == [1, True]
    assert "Completed" in found["events"]


def test_lightkube_runs_a_job_set(cluster: Machine) -> None:
    found = answers(cluster, "lightkube_client")
    assert found["pods"] == 2
    assert [line.partition("-main-0-")[0] for line in found["logs"]] == ["from light", "from light"]
    assert found["watched"] == [["MODIFIED", "2"]]
    assert (found["conflict"], found["replaced"]) == ([409, "AlreadyExists"], {"a": "3"})
