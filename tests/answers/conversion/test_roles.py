from __future__ import annotations

import json
from typing import Any

from sidings.answers.conversion.trainjob import convert
from sidings.api.objects import Object
from tests.answers.conversion.jobs import container, fields_of, other, pods

TF = other("TFJob", "tensorflow", "tfReplicaSpecs", Chief=1, PS=2, Worker=3)
MPI = other("MPIJob", "mpi", "mpiReplicaSpecs", Launcher=1, Worker=2)


def parts(job: Object) -> dict[str, Any]:
    """Part -> (its pods, its container)."""
    made = convert(job).documents[0]["spec"]["template"]["spec"]["replicatedJobs"]
    return {
        part["name"]: (
            part["template"]["spec"]["completions"],
            part["template"]["spec"]["template"]["spec"]["containers"][0],
        )
        for part in made
    }


def test_each_role_of_tensorflow_is_a_part_with_its_place_in_the_cluster() -> None:
    found = parts(TF)
    assert {name: count for name, (count, _) in found.items()} == {"chief": 1, "ps": 2, "worker": 3}
    index, config = found["worker"][1]["env"]
    assert "job-completion-index" in index["valueFrom"]["fieldRef"]["fieldPath"]
    told = json.loads(config["value"].replace("$(TASK_INDEX)", "1"))
    assert told["task"] == {"type": "worker", "index": 1}
    assert told["cluster"]["ps"] == ["old-ps-0-0.old:2222", "old-ps-0-1.old:2222"]


def test_the_chief_ends_a_job_of_tensorflow_and_workers_are_what_can_be_counted() -> None:
    runtime, job = convert(TF).documents
    assert runtime["spec"]["template"]["spec"]["successPolicy"]["targetReplicatedJobs"] == ["chief"]
    assert job["spec"]["trainer"] == {"numNodes": 3}


def test_one_pod_alone_has_no_cluster() -> None:
    [(_, main)] = parts(other("TFJob", "tensorflow", "tfReplicaSpecs", Worker=1)).values()
    assert "env" not in main


def test_without_a_chief_all_workers_have_to_end() -> None:
    job = other("TFJob", "tensorflow", "tfReplicaSpecs", Worker=2)
    assert "changed spec.successPolicy" in fields_of(convert(job).findings)
    job["spec"]["successPolicy"] = "AllWorkers"
    assert "changed spec.successPolicy" not in fields_of(convert(job).findings)


def test_a_launcher_keeps_its_command_and_its_workers_serve_ssh() -> None:
    found = parts(MPI)
    assert found["launcher"][1]["command"] == ["python", "x.py"]
    assert (found["node"][1]["command"], found["node"][1]["args"]) == (["/usr/sbin/sshd"], ["-De"])
    runtime, job = convert(MPI).documents
    assert runtime["spec"]["mlPolicy"] == {"numNodes": 1, "mpi": {"runLauncherAsNode": False}}
    assert job["spec"]["trainer"] == {"numNodes": 2, "numProcPerNode": 1}
    assert "changed spec.mpiReplicaSpecs.Worker" in fields_of(convert(MPI).findings)


def test_a_launcher_with_gpus_computes_too() -> None:
    gpus = {"limits": {"nvidia.com/gpu": 1}}
    launcher = pods(1, container("mpi", resources=gpus))
    job = {**MPI, "spec": {"mpiReplicaSpecs": {"Launcher": launcher, "Worker": pods(2, container("mpi"))}}}
    runtime, made = convert(job).documents
    assert runtime["spec"]["mlPolicy"]["mpi"] == {"runLauncherAsNode": True}
    assert made["spec"]["trainer"]["numNodes"] == 3
