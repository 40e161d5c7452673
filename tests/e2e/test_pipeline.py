"""A whole pipeline as one JobSet: order, success, restart, failure, its claim."""

import json
import re
from pathlib import Path

import pytest

from tests.e2e.machine import POC, Machine, edited, manifest, wait_for

pytestmark = pytest.mark.e2e

NAME = "fraud-detection-full"
CLAIM = f"scratch-{NAME}"


def pods(machine: Machine, part: str) -> list[str]:
    """Names of the pods of a part of the pipeline."""
    selector = f"jobset.sigs.k8s.io/jobset-name={NAME},jobset.sigs.k8s.io/replicatedjob-name={part}"
    return machine.kubectl("get", "pods", "-n", POC, "-l", selector, "-o", "name").split()


def log(machine: Machine, part: str) -> list[str]:
    return sorted("".join(machine.kubectl("logs", "-n", POC, name) for name in pods(machine, part)).splitlines())


def table_row(machine: Machine) -> list[str]:
    """What `kubectl get jobset` shows: NAME TERMINALSTATE RESTARTS COMPLETED ..."""
    return machine.kubectl("get", "jobset", NAME, "-n", POC, "--no-headers").split()


def test_training_waits_for_data_and_the_claim_goes_with_the_jobset(cluster: Machine) -> None:
    cluster.apply(manifest("pipeline"))
    cluster.wait_for_condition("Completed", f"jobset/{NAME}", "-n", POC)

    prepared = cluster.object("job", f"{NAME}-data-prep-0", POC)["status"]["completionTime"]
    training = cluster.objects("pods", "-l", "jobset.sigs.k8s.io/replicatedjob-name=training")
    assert len(training) == 2
    assert all(pod["metadata"]["creationTimestamp"] >= prepared for pod in training)

    assert table_row(cluster)[:4] == [NAME, "Completed", "0", "True"]
    assert log(cluster, "data-prep") == ["done", "preparing"]
    host = f"{NAME}-training-0-0.{NAME}"
    first, second, third, fourth = log(cluster, "training")
    assert [third, fourth] == [f"coordinator {host} index {index} attempt 0" for index in (0, 1)]
    assert first == second
    assert re.fullmatch(rf"10\.244\.\d+\.\d+ +{re.escape(host)}\.{POC}\.svc\.cluster\.local", first)

    claim = cluster.object("persistentvolumeclaim", CLAIM, POC)
    assert claim["status"]["phase"] == "Bound"
    volume = cluster.object("persistentvolume", claim["spec"]["volumeName"])["spec"]
    directory = Path((volume.get("hostPath") or volume["local"])["path"])
    assert (directory / "ready").read_text() == "done\n"
    cluster.kubectl("delete", "jobset", NAME, "-n", POC)
    wait_for(lambda: not cluster.objects("persistentvolumeclaims") and not cluster.objects("persistentvolumes"))
    wait_for(lambda: not directory.exists())
    assert json.loads(cluster.kubectl("get", "pods,jobs,services", "-n", POC, "-o", "json"))["items"] == []


def test_a_deleted_training_pod_restarts_the_group(cluster: Machine) -> None:
    # The first attempt lasts until it is disturbed, however slow the machine; the second ends at once.
    cluster.apply(edited(manifest("pipeline"), "sleep 5", '[ "$ATTEMPT" != 0 ] || sleep 300'))
    wait_for(lambda: len(pods(cluster, "training")) == 2)
    cluster.kubectl("wait", "--for=condition=Ready", "-n", POC, "--timeout=180s", *pods(cluster, "training"))
    victim = pods(cluster, "training")[1]
    cluster.kubectl("delete", "-n", POC, "--force", "--grace-period=0", victim)
    cluster.wait_for_condition("Completed", f"jobset/{NAME}", "-n", POC)
    assert table_row(cluster)[:4] == [NAME, "Completed", "1", "True"]
    assert len(pods(cluster, "data-prep")) == 1
    assert [line.split()[-1] for line in log(cluster, "training") if "attempt" in line] == ["1", "1"]
    assert cluster.event("JobSet", NAME, "RestartJobSetFailurePolicyAction")


def test_failed_data_preparation_fails_the_jobset_at_once(cluster: Machine) -> None:
    cluster.apply(edited(manifest("pipeline"), "echo preparing;", "echo preparing; exit 1;"))
    cluster.wait_for_condition("Failed", f"jobset/{NAME}", "-n", POC)
    assert table_row(cluster)[:3] == [NAME, "Failed", "0"]
    assert cluster.event("JobSet", NAME, "FailJobSetFailurePolicyAction")
    assert re.search(rf"JobSet +{NAME} +Failed .*data-prep-0-0 exited with 1", cluster.ok("get", "-n", POC))
    assert pods(cluster, "training") == []
    created = [event["message"] for event in cluster.objects("events") if event["reason"] == "SuccessfulCreate"]
    assert created and not any("training" in message for message in created)
