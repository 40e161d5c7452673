"""What OpenShift AI's users switch parts of the stack with: kubectl sees the conditions, and jobs wait or go on."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.e2e.machine import Machine, job_set, manifest, wait_for

pytestmark = pytest.mark.e2e

CLUSTER, OPERATOR = "datasciencecluster", "jobsetoperator"


@pytest.fixture
def switched(cluster: Machine) -> Iterator[Machine]:
    """The trainer is on, the Training Operator off, as the manifest has it."""
    cluster.apply(manifest("platform"))
    yield cluster
    cluster.kubectl("delete", f"{CLUSTER}s,{OPERATOR}s", "--all")


def told(machine: Machine, kind: str, name: str) -> dict[str, list[str]]:
    """condition -> [status, reason, message]."""
    found = machine.object(kind, name).get("status", {}).get("conditions") or ()
    return {each["type"]: [each["status"], each.get("reason", ""), each.get("message", "")] for each in found}


def old_job(name: str) -> str:
    pod = {"spec": {"containers": [{"name": "pytorch", "image": "python", "command": ["true"]}]}}
    spec = {"pytorchReplicaSpecs": {"Master": {"replicas": 1, "template": pod}}}
    return json.dumps({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec})


def test_what_is_removed_waits_until_it_is_managed(switched: Machine) -> None:
    wait_for(lambda: told(switched, CLUSTER, "default-dsc").get("TrainingOperatorReady", [""])[0] == "False")
    conditions = told(switched, CLUSTER, "default-dsc")
    assert conditions["TrainerReady"][0] == "True"
    assert conditions["TrainingOperatorReady"][1] == "Removed"
    switched.apply(old_job("waits"))
    why = "ComponentRemoved: Nothing works on it: the component trainingoperator is Removed in DataScienceCluster"
    wait_for(lambda: why in switched.ok("get"))
    assert "kubectl patch datascienceclusters" in switched.kubectl("describe", "pytorchjob", "waits")
    assert "status" not in switched.object("pytorchjob", "waits")
    body = json.dumps({"spec": {"components": {"trainingoperator": {"managementState": "Managed"}}}})
    switched.kubectl("patch", CLUSTER, "default-dsc", "--type=merge", "-p", body)
    switched.wait_for_condition("Succeeded", "pytorchjob/waits")


def test_without_its_operator_job_sets_wait(switched: Machine) -> None:
    def state(word: str) -> None:
        body = json.dumps({"spec": {"managementState": word}})
        switched.kubectl("patch", OPERATOR, "cluster", "--type=merge", "-p", body)

    state("Removed")
    wait_for(lambda: told(switched, OPERATOR, "cluster").get("Available", [""])[0] == "False")
    switched.apply(job_set("waits", "true"))
    wait_for(lambda: "the component jobset is Removed in JobSetOperator cluster" in switched.ok("get"))
    assert switched.objects("jobs") == []
    state("Managed")
    switched.wait_for_condition("Completed", "jobset/waits")
