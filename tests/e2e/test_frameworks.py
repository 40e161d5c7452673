"""XGBoost and JAX on two real CPU nodes each: by TrainJob and by the kinds of the Training Operator.

They are no dependency of the tests; ``SIDINGS_ML_PREFIX`` names a virtual environment that has `jax`, `xgboost-cpu` and
`numpy`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Machine

pytestmark = pytest.mark.e2e

Object = dict[str, Any]
COMMAND: Any = ["python", "/scripts/train.py"]

PREFIX = Path(os.environ.get("SIDINGS_ML_PREFIX") or "/none")
JAX_IMAGE, XGBOOST_IMAGE = "nvcr.io/nvidia/jax:25.10-py3", "ghcr.io/kubeflow/trainer/xgboost-runtime"

JAX = """\
import os
import jax
from jax.experimental import multihost_utils
address = os.environ.get("JAX_COORDINATOR_ADDRESS")
if address is None:
    address = os.environ["COORDINATOR_ADDRESS"] + ":" + os.environ["COORDINATOR_PORT"]
count = int(os.environ.get("JAX_NUM_PROCESSES") or os.environ["NUM_PROCESSES"])
rank = int(os.environ.get("JAX_PROCESS_ID") or os.environ["PROCESS_ID"])
jax.distributed.initialize(address, count, rank)
total = multihost_utils.process_allgather(jax.numpy.array([float(jax.process_index() + 1)])).sum()
print(f"rank {jax.process_index()} of {jax.process_count()}, sum {total}", flush=True)
"""
XGBOOST = """\
import contextlib, os, socket, time, zlib
import numpy, xgboost
from xgboost import collective
from xgboost.tracker import RabitTracker
old = "DMLC_TASK_ID" not in os.environ
rank = int(os.environ["RANK" if old else "DMLC_TASK_ID"])
count = int(os.environ["WORLD_SIZE" if old else "DMLC_NUM_WORKER"])
host = os.environ["MASTER_ADDR" if old else "DMLC_TRACKER_URI"]
port = int(os.environ["MASTER_PORT" if old else "DMLC_TRACKER_PORT"])
if rank == 0:
    tracker = RabitTracker(host_ip="0.0.0.0", n_workers=count, port=port, sortby="task")
    tracker.start()
address = None
while address is None:
    with contextlib.suppress(socket.gaierror):
        address = socket.gethostbyname(host)
    time.sleep(0.1)
with collective.CommunicatorContext(
    dmlc_tracker_uri=address, dmlc_tracker_port=port, dmlc_task_id=str(rank), dmlc_retry=20
):
    rows = numpy.random.default_rng(rank).random((200, 4))
    data = xgboost.DMatrix(rows, rows.sum(axis=1) > 2)
    model = xgboost.train({"objective": "binary:logistic", "nthread": 1}, data, 4)
    digest = zlib.crc32(model.save_raw())
    print(f"rank {collective.get_rank()} of {collective.get_world_size()}, sum {digest}", flush=True)
if rank == 0:
    tracker.wait_for()
"""
"""Three things that XGBoost (3.2) leaves to the script, without any of which a pod that falls behind fails the job:

a worker waits for the name of the tracker's pod, and longer than three tries (six seconds) for the tracker; and the pod
of the tracker ends last, because a worker that signs off at a tracker that has gone fails, and the one in its place
finds none.
"""


def scripts(name: str, text: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"train.py": text}}


def pod_spec(script: str, **container: str) -> Object:
    """The volume with the script, mounted into one container."""
    mounted = {**container, "volumeMounts": [{"name": "scripts", "mountPath": "/scripts"}]}
    return {"volumes": [{"name": "scripts", "configMap": {"name": script}}], "containers": [mounted]}


def train_job(name: str, runtime: str) -> Object:
    node = {"name": "node", "template": {"spec": {"template": {"spec": pod_spec(name, name="node")}}}}
    patch = {
        "manager": "example.com/test",
        "trainingRuntimeSpec": {"template": {"spec": {"replicatedJobs": [node]}}},
    }
    trainer = {"numNodes": 2, "command": COMMAND}
    spec = {"runtimeRef": {"name": runtime}, "trainer": trainer, "runtimePatches": [patch]}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name},
        "spec": spec,
    }


def old_job(name: str, kind: str, field: str, container: str, image: str, roles: Mapping[str, int]) -> Object:
    pod = pod_spec(name, name=container, image=image)
    pod["containers"][0]["command"] = COMMAND
    specs = {role: {"replicas": count, "template": {"spec": pod}} for role, count in roles.items()}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": name}, "spec": {field: specs}}


OLD_JAX = old_job("oldjax", "JAXJob", "jaxReplicaSpecs", "jax", JAX_IMAGE, {"Worker": 2})
OLD_XGBOOST = old_job("oldxgb", "XGBoostJob", "xgbReplicaSpecs", "xgboost", XGBOOST_IMAGE, {"Master": 1, "Worker": 1})


JOBS = {
    "TrainJob/jax": (train_job("jax", "jax-distributed"), JAX),
    "TrainJob/xgb": (train_job("xgb", "xgboost-distributed"), XGBOOST),
    "JAXJob/oldjax": (OLD_JAX, JAX),
    "XGBoostJob/oldxgb": (OLD_XGBOOST, XGBOOST),
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """Two nodes on which all jobs train at once."""
    python = PREFIX / "bin" / "python"
    if not python.exists() or subprocess.run((python, "-c", "import jax, xgboost"), check=False).returncode:
        pytest.skip("SIDINGS_ML_PREFIX names no environment with jax and xgboost")
    it = Machine(tmp_path_factory.mktemp("frameworks"))
    try:
        images = ("--image", f"nvcr.io/nvidia/jax*={PREFIX}", "--image", f"*xgboost*={PREFIX}")
        it.ok("up", "--nodes", "2", "--cpu", "8", *images)
        items = [item for job, text in JOBS.values() for item in (scripts(job["metadata"]["name"], text), job)]
        it.apply(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
        yield it
    finally:
        it.ok("down", "--force")


def told(machine: Machine, selector: str) -> list[str]:
    """What the ranks printed, sorted."""
    log = machine.kubectl("logs", "-l", selector, "--tail=-1")
    return sorted(line for line in log.splitlines() if line.startswith("rank "))


@pytest.mark.parametrize("which", JOBS)
def test_two_nodes_train_together(machine: Machine, which: str) -> None:
    kind, _, name = which.lower().partition("/")
    machine.wait_for_condition("Complete" if kind == "trainjob" else "Succeeded", f"{kind}/{name}")
    label = "jobset.sigs.k8s.io/jobset-name" if kind == "trainjob" else "training.kubeflow.org/job-name"
    check(told(machine, f"{label}={name}"))


def check(lines: list[str]) -> None:
    """Two ranks that agree on what no rank alone could know."""
    found = [re.fullmatch(r"rank (\d) of (\d), sum (.+)", line) for line in lines]
    assert [each and each.group(1, 2) for each in found] == [("0", "2"), ("1", "2")], lines
    assert len({each.group(3) for each in found if each}) == 1
