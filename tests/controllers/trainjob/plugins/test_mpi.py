"""``mlPolicy.mpi`` (cases MP1 to MP6; recorded JobSets ``mpi-*``)."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.controllers.trainjob import plugins
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import RuntimeInfo, runtime_info
from sidings.controllers.trainjob.plugins import mpi
from tests.trainjobs import replicated_job, runtime, train_job, trainer_job


def enforced(
    trainer: Object | None, *, policy: Object | None = None, nodes: int | None = None, name: str = "tj", **spec: Any
) -> RuntimeInfo:
    jobs = [replicated_job("node"), trainer_job("launcher")]
    full = {"mpi": policy or {}} | ({} if nodes is None else {"numNodes": nodes})
    info = runtime_info(train_job(trainer, name=name), runtime(*jobs, policy=full, **spec))
    plugins.enforce(info)
    return info


def test_hostfile_of_workers_only() -> None:
    info = enforced({"numNodes": 2, "numProcPerNode": 8}, name="alpha")
    assert mpi.hostfile(info) == "alpha-node-0-0.alpha slots=8\nalpha-node-0-1.alpha slots=8\n"


def test_hostfile_with_the_launcher_and_a_subdomain() -> None:
    info = enforced({"numNodes": 3}, policy={"runLauncherAsNode": True}, network={"subdomain": "net"})
    assert mpi.hostfile(info) == "".join(
        f"{host}.net slots=1\n" for host in ("tj-node-0-0", "tj-node-0-1", "tj-launcher-0-0")
    )


@pytest.mark.parametrize(("nodes", "count"), [(10, 9), (1, 1), (None, 1)])
def test_a_launcher_that_computes_is_one_of_the_nodes(nodes: int | None, count: int) -> None:
    info = enforced({} if nodes is None else {"numNodes": nodes}, policy={"runLauncherAsNode": True}, nodes=1)
    assert [(pod_set.name, pod_set.count) for pod_set in info.pod_sets] == [("node", count), ("launcher", 1)]


@pytest.mark.parametrize(
    ("trainer", "policy", "slots"),
    [
        ({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 5}}}, {"numProcPerNode": 1}, 5),
        ({"resourcesPerNode": {"limits": {"nvidia.com/gpu": 5}}}, {"numProcPerNode": 4}, 4),
        ({"numProcPerNode": 8}, {"numProcPerNode": 4}, 8),
        (None, {}, 1),
    ],
)
def test_slots(trainer: Object | None, policy: Object, slots: int) -> None:
    assert mpi.slots_of(enforced(trainer, policy=policy)) == slots


def test_env_and_mounts() -> None:
    policy = {"sshAuthMountPath": "/home/mpi/.ssh", "runLauncherAsNode": True}
    worker, launcher = enforced({"env": [{"name": "A", "value": "1"}]}, policy=policy).pod_sets
    node, main = worker.container("node") or {}, launcher.container("node") or {}
    assert node["env"] == [{"name": "A", "value": "1"}]
    assert node["volumeMounts"] == [{"name": "mpi-ssh-auth", "mountPath": "/home/mpi/.ssh"}]
    assert [(item["name"], item["value"]) for item in main["env"]] == [
        ("OMPI_MCA_orte_default_hostfile", "/etc/mpi/hostfile"),
        ("OMPI_MCA_orte_keep_fqdn_hostnames", "true"),
        ("OMPI_MCA_orte_set_default_slots", "1"),
        ("OMPI_MCA_plm_rsh_args", "-o ConnectionAttempts=10"),
    ]
    assert main["volumeMounts"][1] == {"name": "mpi-hostfile", "mountPath": "/etc/mpi"}
    assert [volume["name"] for volume in worker.pod_spec["volumes"]] == ["mpi-ssh-auth"]
    assert [volume["name"] for volume in launcher.pod_spec["volumes"]] == ["mpi-ssh-auth", "mpi-hostfile"]


def test_companions() -> None:
    secret, config_map = plugins.companions(enforced({"numNodes": 1}))
    assert (secret.name, secret.once) == ("tj-mpi-ssh-auth", True)
    made = secret.make()
    assert (made["type"], made["immutable"]) == ("kubernetes.io/ssh-auth", True)
    assert base64.b64decode(made["data"]["ssh-privatekey"]).startswith(b"-----BEGIN EC PRIVATE KEY-----\n")
    assert base64.b64decode(made["data"]["ssh-publickey"]).startswith(b"ecdsa-sha2-nistp521 ")
    assert made["data"] != secret.make()["data"]
    assert (config_map.name, config_map.once) == ("tj-mpi-hostfile", False)
    assert config_map.make()["data"] == {"hostfile": "tj-node-0-0.tj slots=1\n"}


def test_other_implementations_are_refused() -> None:
    with pytest.raises(BuildError, match="MPI implementation for Intel doesn't supported"):
        enforced({}, policy={"mpiImplementation": "Intel"})
