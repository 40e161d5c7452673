"""The relatives of PyTorchJob really run: each pod prints what it was told, and reaches the pod that leads by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Machine, wait_for

pytestmark = pytest.mark.e2e

JOBS = {
    "XGBoostJob": ("xgbReplicaSpecs", "xgboost", {"Master": 1, "Worker": 1}, "$MASTER_ADDR $RANK of $WORLD_SIZE"),
    "JAXJob": ("jaxReplicaSpecs", "jax", {"Worker": 2}, "$COORDINATOR_ADDRESS $PROCESS_ID of $NUM_PROCESSES"),
    "PaddleJob": ("paddleReplicaSpecs", "paddle", {"Worker": 2}, "${PADDLE_MASTER%:*} $PADDLE_NNODES"),
    "MPIJob": ("mpiReplicaSpecs", "mpi", {"Launcher": 1}, "mpi-launcher $OMPI_MCA_plm_rsh_agent"),
    "TFJob": ("tfReplicaSpecs", "tensorflow", {"Chief": 1, "Worker": 1}, "tf-chief-0 $TF_CONFIG"),
}


def job(kind: str, name: str, shared: Path) -> dict[str, Any]:
    """Its pods end when there is a file ``enough`` in ``shared``; the first to end takes its name and others along."""
    field, container, roles, told = JOBS[kind]
    wait = "until getent hosts $1; do sleep 0.2; done"
    rest = "until [ -e /shared/enough ]; do sleep 0.2; done"
    command = ["sh", "-c", f'set -- {told}; {wait}; echo "told: $*"; {rest}']
    mounts = [{"name": "shared", "mountPath": "/shared"}]
    containers = [{"name": container, "image": "img", "command": command, "volumeMounts": mounts}]
    volumes = [{"name": "shared", "hostPath": {"path": str(shared)}}]
    template = {"spec": {"containers": containers, "volumes": volumes}}
    specs = {role: {"replicas": count, "template": template} for role, count in roles.items()}
    return {"apiVersion": "kubeflow.org/v1", "kind": kind, "metadata": {"name": name}, "spec": {field: specs}}


def told(cluster: Machine, name: str) -> list[str]:
    """What its pods have said so far; some may not run yet."""
    log = cluster.try_kubectl("logs", "-l", f"training.kubeflow.org/job-name={name}", "--tail=-1").stdout
    return sorted(line.removeprefix("told: ") for line in log.splitlines() if line.startswith("told: "))


def test_all_kinds_at_once(cluster: Machine) -> None:
    names = {"XGBoostJob": "xgb", "JAXJob": "jax", "PaddleJob": "paddle", "TFJob": "tf", "MPIJob": "mpi"}
    shared = cluster.folder / "training-operator"
    shared.mkdir()
    cluster.apply("\n---\n".join(json.dumps(job(kind, name, shared)) for kind, name in names.items()))
    counts = {name: sum(JOBS[kind][2].values()) for kind, name in names.items()}
    wait_for(lambda: all(len(told(cluster, name)) == count for name, count in counts.items()))
    assert told(cluster, "xgb") == ["xgb-master-0 0 of 2", "xgb-master-0 1 of 2"]
    assert told(cluster, "jax") == ["jax-worker-0 0 of 2", "jax-worker-0 1 of 2"]
    first, second = told(cluster, "paddle")
    assert first.split()[1] == second.split()[1] == "2"
    assert second.startswith("paddle-worker-0 ")
    assert all("tf-worker-0.default.svc:2222" in line for line in told(cluster, "tf"))
    assert told(cluster, "mpi") == ["mpi-launcher /etc/mpi/kubexec.sh"]
    assert cluster.object("serviceaccount", "mpi-launcher")["metadata"]["ownerReferences"][0]["kind"] == "MPIJob"
    (shared / "enough").touch()
    for kind, name in names.items():
        cluster.wait_for_condition("Succeeded", f"{kind.lower()}/{name}")
    cluster.kubectl("delete", "xgboostjobs,jaxjobs,paddlejobs,tfjobs,mpijobs", "--all")
