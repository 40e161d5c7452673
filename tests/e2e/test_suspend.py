"""A TrainJob that is suspended and resumed while it trains, by kubectl and by our own command."""

import re

import pytest

from tests.e2e.machine import Machine, wait_for
from tests.e2e.training import Training

pytestmark = pytest.mark.e2e


def rank_0(machine: Machine, job: str) -> str:
    return machine.kubectl("logs", "-l", f"jobset.sigs.k8s.io/jobset-name={job},{INDEX}=0", "--tail=-1")


INDEX = "batch.kubernetes.io/job-completion-index"


def test_suspend_and_resume_while_training(cluster: Machine) -> None:
    training = Training(cluster.folder / "suspend")
    cluster.apply(training.manifest("pausing"))
    wait_for(lambda: training.step >= 3, 120)

    cluster.kubectl("patch", "trainjob", "pausing", "--type=merge", "-p", '{"spec": {"suspend": true}}')
    wait_for(lambda: cluster.objects("pods") == [])
    cluster.wait_for_condition("Suspended", "trainjob/pausing")
    assert cluster.object("jobset", "pausing")["spec"]["suspend"] is True
    assert re.search(r"TrainJob +pausing +Suspended", cluster.ok("get"))
    first = training.step

    cluster.kubectl("patch", "trainjob", "pausing", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    wait_for(lambda: training.step > first, 120)
    assert f"rank 0 of 2 starts after step {first}" in rank_0(cluster, "pausing")

    cluster.ok("suspend", "pausing")
    wait_for(lambda: cluster.objects("pods") == [])
    second = training.step
    cluster.ok("resume", "pausing")
    wait_for(lambda: training.step > second, 120)

    training.end()
    cluster.wait_for_condition("Complete", "trainjob/pausing")
    log = rank_0(cluster, "pausing")
    assert f"rank 0 of 2 starts after step {second}" in log
    assert f"rank 0 has trained {training.step} steps" in log
    assert cluster.object("jobset", "pausing")["status"]["restarts"] == 0, "a suspension is no restart"
