"""The unmodified Python clients, each doing a real job: the two SDKs of Kubeflow, `kubernetes` and `lightkube`.

They are no dependency of the tests, because they bring sixteen packages with them: `pip install 'sidings[clients]'`, or
an environment of their own that ``SIDINGS_CLIENTS_PYTHON`` names by its interpreter.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Machine, manifest

pytestmark = pytest.mark.e2e

PYTHON = os.environ.get("SIDINGS_CLIENTS_PYTHON", sys.executable)
MODULES = {
    "trainer_client": "kubeflow.trainer",
    "trainer_options": "kubeflow.trainer",
    "trainer_mistakes": "kubeflow.trainer",
    "training_client": "kubeflow.training",
    "training_shapes": "kubeflow.training",
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
    assert found["got"] == [2, "torch-distributed"]
    assert found["steps"] == [["node-0", "Succeeded"], ["node-1", "Succeeded"]]
    assert found["logs"] == [f"hello: rank {rank} of 2, sum 1.0" for rank in range(2)]
    assert "Started" in found["events"]
    assert found["listed"] == [True]


def test_trainer_client_takes_a_container_with_every_option(cluster: Machine) -> None:
    found = answers(cluster, "trainer_options")
    assert found["container"] == {
        "name": "own",
        "status": "Complete",
        "logs": [["said of 2"], ["said of 2"]],
        "metadata": [{"team": "fraud"}, {"note": "kept"}, 600],
    }
    assert "pip install torchtune torchao" in found["builtin"]["SoftwareMissing"]


def test_mistakes_of_users_of_the_trainer_client(cluster: Machine) -> None:
    cluster.apply(manifest("impatient-runtime"))
    found = answers(cluster, "trainer_mistakes")
    assert found["missing import"] == ["Failed", "ModuleNotFoundError: No module named 'no_such_module'"]
    assert found["outside"] == ["Failed", "NameError: name 'RATE' is not defined"]
    assert found["no source"] == ["OSError", "could not get source code"]
    assert found["partial"][0] == "TypeError"
    assert found["no function"][0] == "ValueError"
    for mistake, words in {
        "long name": "use at most 48",
        "bad label": "metadata.labels: Invalid value",
        "reserved": "spec.trainer.env: Invalid value: ",
        "negative": "spec.trainer.numNodes: Invalid value: -1: ",
    }.items():
        assert found[mistake][0] == "RuntimeError", mistake
        assert words in json.loads(found[mistake][1])["message"]
    assert found["jobs"] == ["Failed", "Failed"]
    for job in cluster.objects("trainjobs"):
        told = job["metadata"]["annotations"]["sidings.dev/first-failure"].splitlines()
        assert re.fullmatch(r"node-0-[01] exited with 1 \(Error\)", told[0])
        assert told[-1] in (found["missing import"][1], found["outside"][1])


def hello(log: str) -> list[str]:
    """The user's own lines: ranks that are left behind for a moment make torch warn."""
    return [line for line in log.splitlines() if line.startswith("hello: ")]


@pytest.mark.parametrize("workers", [2, 3])
def test_training_client_trains_a_function(cluster: Machine, workers: int) -> None:
    found = answers(cluster, "training_client", str(workers))
    pods = [f"sdk-{workers}-master-0", *(f"sdk-{workers}-worker-{index}" for index in range(workers - 1))]
    total = float(sum(range(workers)))
    assert found["conditions"] == [["Created", "True"], ["Running", "False"], ["Succeeded", "True"]]
    assert found["succeeded"]
    assert found["pods"] == pods
    assert found["master"] == pods[:1]
    logs = {pod: hello(log) for pod, log in found["logs"].items()}
    assert logs == {pod: [f"hello: rank {rank} of {workers}, sum {total}"] for rank, pod in enumerate(pods)}
    assert found["rank"] == {pods[1]: found["logs"][pods[1]]}
    assert f"pytorchjob/sdk-{workers}" in found["told"]
    assert found["listed"] == [f"sdk-{workers}"]
    assert found["gone"]


def test_arguments_of_the_training_client_decide_the_shape_of_a_job(cluster: Machine) -> None:
    """Cases 59 to 62 of the Training Operator."""
    found = answers(cluster, "training_shapes")
    two = {"nvidia.com/gpu": "2"}
    shell, stock = ["bash", "-c"], "docker.io/pytorch/pytorch:2.1.2-cuda11.8-cudnn8-runtime"
    made = {"image": stock, "command": shell, "nproc": None, "limits": None, "requests": None}
    assert found["gpus"] == made | {
        "replicas": {"Master": 1, "Worker": 1},
        "starter": "torchrun",
        "limits": two,
        "requests": two,
    }
    assert found["alone"] == made | {"replicas": {"Master": 1}, "starter": "python -u"}
    assert found["image"] == made | {
        "replicas": {"Master": 1, "Worker": 2},
        "starter": None,
        "image": "quay.io/me/mine:1",
        "command": None,
        "nproc": "auto",
    }
    assert found["odd"]
    assert cluster.objects("pytorchjobs") == []


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
