from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.controllers.mpijob import launch_files
from sidings.controllers.mpijob.operator import MpiOperator
from sidings.controllers.training_operator.plan import plan
from sidings.controllers.training_operator.snapshot import Snapshot
from tests.controllers.training_operator.cluster import START, Cluster, job_of, replica, started

MPI = MpiOperator()
RUNNING = ("launcher", "worker-0", "worker-1")


def roles() -> dict[str, Object]:
    return {"Launcher": replica("mpi"), "Worker": replica("mpi", 2)}


def job(**spec: object) -> Cluster:
    return started(MPI, roles(), RUNNING, **spec)


def test_pods_without_services_and_the_launcher_without_index() -> None:
    cluster = job()
    assert sorted(cluster.pods) == sorted(RUNNING)
    assert not cluster.services
    assert "training.kubeflow.org/job-role" in cluster.pods["launcher"]["metadata"]["labels"]


def test_the_launcher_knows_the_hosts_and_how_to_reach_them() -> None:
    env = dict(job().env("launcher"))
    assert env == {
        "OMPI_MCA_plm_rsh_agent": "/etc/mpi/kubexec.sh",
        "OMPI_MCA_orte_default_hostfile": "/etc/mpi/hostfile",
        "I_MPI_HYDRA_BOOTSTRAP": "rsh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": "/etc/mpi/kubexec.sh",
        "NVIDIA_VISIBLE_DEVICES": "",
        "NVIDIA_DRIVER_CAPABILITIES": "",
    }
    assert job().pods["launcher"]["spec"]["serviceAccountName"] == "x-launcher"


def test_workers_wait_unless_they_are_told_otherwise() -> None:
    main = job().pods["worker-0"]["spec"]["containers"][0]
    assert (main["command"], main["args"]) == (["sleep"], ["365d"])
    told = roles()
    told["Worker"]["template"]["spec"]["containers"][0]["command"] = ["sshd"]
    main = started(MPI, told).pods["worker-0"]["spec"]["containers"][0]
    assert (main["command"], "args" in main) == (["sshd"], False)


def test_what_has_to_be_there_before_the_pods() -> None:
    snapshot = Snapshot.of(MPI.framework, job_of(MPI, roles(), slotsPerWorker=4), (), ())
    made = plan(MPI, snapshot, START).companions
    assert [(obj["kind"], obj["metadata"]["name"]) for obj in made] == [
        ("ConfigMap", "x-config"),
        ("ServiceAccount", "x-launcher"),
        ("Role", "x-launcher"),
        ("RoleBinding", "x-launcher"),
    ]
    assert made[0]["data"]["hostfile"] == "x-worker-0 slots=4\nx-worker-1 slots=4\n"
    assert made[2]["rules"][1]["resourceNames"] == ["x-worker-0", "x-worker-1"]


def test_a_launcher_with_gpus_is_the_first_host() -> None:
    own = roles()
    own["Launcher"]["template"]["spec"]["containers"][0]["resources"] = {"limits": {"nvidia.com/gpu": "1"}}
    snapshot = Snapshot.of(MPI.framework, job_of(MPI, own), (), ())
    assert launch_files.host_file(snapshot).startswith("x-launcher slots=1\n")
    assert "NVIDIA_VISIBLE_DEVICES" not in dict(started(MPI, own).env("launcher"))


@pytest.mark.parametrize(("code", "end"), [(0, "Succeeded"), (1, "Failed")])
def test_the_launcher_decides(code: int, end: str) -> None:
    cluster = job()
    cluster.set("worker-1", "Failed", code=1)
    assert cluster.settle().conditions[-1] == "Running=True/MPIJobRunning"
    cluster.set("launcher", "Failed" if code else "Succeeded", code=code)
    assert cluster.settle().conditions[-1] == f"{end}=True/MPIJob{end}"


def test_an_evicted_worker_ends_the_job() -> None:
    cluster = job()
    cluster.set("worker-1", "Failed")
    cluster.pods["worker-1"]["status"]["reason"] = "Evicted"
    assert cluster.settle().conditions[-1] == "Failed=True/MPIJobEvicted"


def test_a_job_that_cannot_be_run_says_why() -> None:
    lonely = job_of(MPI, {"Worker": replica("mpi")})
    assert MPI.complaint(lonely) == "MPIReplicaSpec is not valid: Master ReplicaSpec must be present"
    assert MPI.complaint(job_of(MPI, roles())) == ""
