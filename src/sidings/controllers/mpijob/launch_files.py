"""The files and rights by which ``mpirun`` in the launcher starts processes in the workers.

``mpirun`` calls the script instead of ssh, and the script is ``kubectl exec``. Upstream delivers a kubectl by an init
container that also waits for the workers; here containers run the software of the machine, so the script takes the one
on PATH, and waits itself.
"""

from __future__ import annotations

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.training_operator import framework, words
from sidings.controllers.training_operator.snapshot import Snapshot, replica_name

FOLDER = "/etc/mpi"
SCRIPT, HOSTS = "kubexec.sh", "hostfile"
_EXEC = """#!/bin/sh
set -x
POD_NAME=$1
shift
kubectl wait "pod/$POD_NAME" --for=jsonpath={{.status.phase}}=Running --timeout=-1s > /dev/null
kubectl exec "$POD_NAME" --container={container} -- /bin/sh -c "$*"
"""
_GPU = "nvidia.com/gpu"


def config_name(job_name: str) -> str:
    return f"{job_name}-config"


def launcher_name(job_name: str) -> str:
    """Of the pod, its ServiceAccount, Role and RoleBinding."""
    return f"{job_name}-launcher"


def launcher_has_gpus(snapshot: Snapshot) -> bool:
    containers = snapshot.roles[words.LAUNCHER]["template"]["spec"]["containers"]
    return any(_GPU in ((container.get("resources") or {}).get("limits") or {}) for container in containers)


def workers(snapshot: Snapshot) -> list[str]:
    """The names of the worker pods, which are the host names of the host file."""
    return [replica_name(snapshot.name, words.WORKER, number) for number in range(snapshot.replicas(words.WORKER))]


def host_file(snapshot: Snapshot) -> str:
    """One line a host; the launcher is the first where it has GPUs itself."""
    slots = snapshot.job["spec"]["slotsPerWorker"]
    first = [launcher_name(snapshot.name)] if launcher_has_gpus(snapshot) else []
    return "".join(f"{host} slots={slots}\n" for host in [*first, *workers(snapshot)])


def companions(snapshot: Snapshot) -> list[Object]:
    """ConfigMap, ServiceAccount, Role and RoleBinding of the launcher, in this order."""
    name = launcher_name(snapshot.name)
    main = snapshot.job["spec"].get("mainContainer") or framework.MPI.container
    data = {HOSTS: host_file(snapshot), SCRIPT: _EXEC.format(container=main)}
    rules = [
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch"]},
        {"apiGroups": [""], "resources": ["pods/exec"], "resourceNames": workers(snapshot), "verbs": ["create"]},
    ]
    group = "rbac.authorization.k8s.io"
    subject = {"kind": "ServiceAccount", "name": name, "namespace": snapshot.namespace}
    return [
        _object(snapshot, "v1", "ConfigMap", config_name(snapshot.name), data=data),
        _object(snapshot, "v1", "ServiceAccount", name),
        _object(snapshot, f"{group}/v1", "Role", name, rules=rules),
        _object(
            snapshot,
            f"{group}/v1",
            "RoleBinding",
            name,
            subjects=[subject],
            roleRef={"apiGroup": group, "kind": "Role", "name": name},
        ),
    ]


def _object(snapshot: Snapshot, api_version: str, kind: str, name: str, **content: object) -> Object:
    metadata = {
        "name": name,
        "namespace": snapshot.namespace,
        "ownerReferences": [objects.controller_ref(snapshot.stored)],
    }
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
