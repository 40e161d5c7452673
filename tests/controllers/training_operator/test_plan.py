"""Rules of all kinds of jobs, at the example of PyTorchJob; what a kind has of its own is in its own folder."""

from __future__ import annotations

import pytest

from sidings.controllers.pytorchjob.operator import PyTorchOperator
from tests.controllers.training_operator.cluster import Cluster, replica, started

TORCH = PyTorchOperator()


def two(**spec: object) -> Cluster:
    """A master and a worker that run."""
    roles = {"Master": replica("pytorch"), "Worker": replica("pytorch")}
    return started(TORCH, roles, ["master-0", "worker-0"], **spec)


def test_labels_of_a_pod_and_the_selector_of_its_service() -> None:
    cluster = two()
    labels = cluster.pods["master-0"]["metadata"]["labels"]
    selector = cluster.services["master-0"]["spec"]["selector"]
    assert selector == {
        "training.kubeflow.org/operator-name": "pytorchjob-controller",
        "training.kubeflow.org/job-name": "x",
        "training.kubeflow.org/replica-type": "master",
        "training.kubeflow.org/replica-index": "0",
    }
    assert labels == selector | {"training.kubeflow.org/job-role": "master"}
    assert cluster.services["master-0"]["spec"]["ports"] == [
        {"name": "pytorchjob-port", "port": 23456, "protocol": "TCP"}
    ]
    assert cluster.pods["master-0"]["metadata"]["ownerReferences"][0]["controller"] is True


def test_the_policy_of_a_role_stands_above_the_template_and_says_so() -> None:
    role = replica("pytorch", restartPolicy="ExitCode")
    role["template"]["spec"]["restartPolicy"] = "Always"
    cluster = started(TORCH, {"Master": role})
    assert cluster.pods["master-0"]["spec"]["restartPolicy"] == "Never"
    assert ("Warning", "SetPodTemplateRestartPolicy") in [event[:2] for event in cluster.events]


def test_what_a_template_says_of_pods_is_kept() -> None:
    role = replica("pytorch")
    role["template"]["metadata"] = {"labels": {"a": "1"}, "annotations": {"b": "2"}}
    metadata = started(TORCH, {"Master": role}).pods["master-0"]["metadata"]
    assert metadata["labels"]["a"] == "1"
    assert metadata["annotations"] == {"b": "2"}


def test_a_deadline_is_looked_at_when_it_comes() -> None:
    cluster = two(runPolicy={"activeDeadlineSeconds": 100})
    assert cluster.requeue_after is not None
    assert 90 < cluster.requeue_after <= 100


def test_back_off_limit_zero_ends_the_job_with_the_first_failed_pod() -> None:
    cluster = two(runPolicy={"backoffLimit": 0})
    cluster.set("worker-0", "Failed", code=1)
    cluster.settle()
    assert cluster.conditions[-1] == "Failed=True/PyTorchJobFailed"
    assert sorted(cluster.pods) == ["master-0", "worker-0"]


def test_success_of_the_master_ends_the_job_though_workers_run() -> None:
    cluster = two()
    cluster.set("master-0", "Succeeded", code=0)
    cluster.settle()
    assert cluster.status["replicaStatuses"]["Worker"]["succeeded"] == 1
    assert "completionTime" in cluster.status
    cluster.set("worker-0", "Failed", code=1)
    cluster.settle()
    assert cluster.conditions[-1] == "Succeeded=True/PyTorchJobSucceeded"


@pytest.mark.parametrize("policy", ["Always", "OnFailure"])
def test_a_pod_that_was_evicted_is_made_anew(policy: str) -> None:
    roles = {"Worker": replica("pytorch", 2, restartPolicy=policy)}
    cluster = started(TORCH, roles, ["worker-0", "worker-1"])
    first = cluster.pods["worker-1"]["metadata"]["uid"]
    cluster.set("worker-1", "Failed")
    cluster.settle()
    assert cluster.pods["worker-1"]["metadata"]["uid"] != first
    assert (
        "Warning",
        "PyTorchJobRestarting",
        "job x is restarting because Worker replica(s) failed.",
    ) in cluster.events


def test_a_pod_being_deleted_holds_its_place_and_counts_as_failed() -> None:
    cluster = two()
    cluster.set("worker-0", "Running", deleting=True)
    cluster.settle()
    assert cluster.status["replicaStatuses"]["Worker"]["failed"] == 1
    assert cluster.conditions[-1].startswith("Restarting=True")


def test_the_code_of_the_training_container_is_told_once() -> None:
    cluster = two()
    cluster.set("master-0", "Succeeded", code=0)
    cluster.settle()
    told = [message for _, reason, message in cluster.events if reason == "ExitedWithCode"]
    assert told == ["Pod: ns.x-master-0 exited with code 0"]


def test_ttl_counts_from_the_end() -> None:
    cluster = two(runPolicy={"ttlSecondsAfterFinished": 60})
    cluster.set("master-0", "Succeeded", code=0)
    cluster.settle()
    assert not cluster.expired
    assert cluster.requeue_after is not None
    assert 50 < cluster.requeue_after <= 60
    assert cluster.wait(60).expired


def test_ttl_of_a_job_that_an_exit_code_has_ended() -> None:
    roles = {"Master": replica("pytorch", restartPolicy="ExitCode")}
    cluster = started(TORCH, roles, ["master-0"], runPolicy={"ttlSecondsAfterFinished": 60})
    cluster.set("master-0", "Failed", code=1)
    cluster.settle()
    assert cluster.wait(60).expired


def test_a_namesake_of_an_earlier_job_is_none_of_its_pods() -> None:
    cluster = Cluster(TORCH, two().job)
    stranger = two().pods["master-0"]
    stranger["metadata"]["ownerReferences"][0]["uid"] = "another"
    cluster.pods["old"] = stranger
    cluster.settle()
    assert sorted(cluster.pods) == ["master-0", "old", "worker-0"]
