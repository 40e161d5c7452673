"""A TrainJob that is suspended and resumed while it trains, by kubectl and by our own command."""

import re

import pytest

from tests.e2e.machine import Machine, wait_for
from tests.e2e.training import Training

pytestmark = pytest.mark.e2e


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
    reached = training.step

    cluster.kubectl("patch", "trainjob", "pausing", "--type=merge", "-p", '{"spec": {"suspend": false}}')
    wait_for(lambda: training.step > reached, 120)
    log = cluster.kubectl("logs", "-l", f"jobset.sigs.k8s.io/jobset-name=pausing,{INDEX}=0", "--tail=-1")
    assert log.splitlines()[0] == f"rank 0 of 2 starts after step {reached}"
    assert cluster.object("jobset", "pausing")["status"]["restarts"] == 0, "a suspension is no restart"

    assert "suspended" in cluster.sidings("suspend", "pausing").stderr
    wait_for(lambda: cluster.objects("pods") == [])
    assert "resumed" in cluster.sidings("resume", "trainjob/pausing").stderr
    wait_for(lambda: bool(re.search(r"TrainJob +pausing +Running +2/2", cluster.ok("get"))))
