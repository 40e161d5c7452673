"""A PyTorchJob as users write it: torchrun in a Master and a Worker, one process group, real kubectl."""

from __future__ import annotations

import re

import pytest

from tests.e2e.machine import POC, Machine, edited, manifest, wait_for

pytestmark = pytest.mark.e2e

JOB = "granite-retrain-yaml"
LINE = re.compile(r"rank (\d)/(\d) on cpu backend gloo: all_reduce = ([\d.]+)")


def submit(cluster: Machine, text: str) -> None:
    cluster.kubectl("create", "namespace", POC)
    cluster.apply(text)


def test_master_and_worker_form_one_group(cluster: Machine) -> None:
    submit(cluster, manifest("pytorchjob"))
    cluster.wait_for_condition("Succeeded", f"pytorchjob/{JOB}", "-n", POC)
    log = cluster.kubectl("logs", "-n", POC, "-l", f"training.kubeflow.org/job-name={JOB}", "--tail=-1")
    assert sorted(LINE.findall(log)) == [("0", "2", "1.0"), ("1", "2", "1.0")]
    assert re.search(rf"{JOB} +Succeeded", cluster.kubectl("get", "pytorchjobs", "-n", POC))
    assert re.search(rf"PyTorchJob +{JOB} +Succeeded +2/2", cluster.ok("get", "-n", POC))
    assert "rank 1/2" in cluster.ok("logs", JOB, "--rank", "1", "-n", POC)
    assert cluster.kubectl("get", "pods,services", "-n", POC, "-o", "name").split() == [
        f"{kind}/{JOB}-{role}-0" for kind in ("pod", "service") for role in ("master", "worker")
    ]


def test_suspend_takes_the_pods_and_resume_brings_them_back(cluster: Machine) -> None:
    submit(cluster, edited(manifest("pytorchjob"), 'dist.init_process_group("gloo")', "__import__('time').sleep(600)"))
    cluster.wait_for_condition("Running", f"pytorchjob/{JOB}", "-n", POC)
    cluster.ok("suspend", JOB, "-n", POC)
    cluster.wait_for_condition("Suspended", f"pytorchjob/{JOB}", "-n", POC)
    wait_for(lambda: not cluster.kubectl("get", "pods,services", "-n", POC, "-o", "name"))
    cluster.ok("resume", JOB, "-n", POC)
    cluster.wait_for_condition("Running", f"pytorchjob/{JOB}", "-n", POC)
    types = [condition["type"] for condition in cluster.object("pytorchjob", JOB, POC)["status"]["conditions"]]
    assert types == ["Created", "Suspended", "Running"]
