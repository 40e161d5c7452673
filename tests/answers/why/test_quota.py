"""Quota that is never enough, busy, not there or of the wrong flavor: the numbers, and the command that mends it."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.answers import codes
from sidings.answers.finding import Severity
from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_QUEUES, JOBS, LOCAL_QUEUES, PYTORCH_JOBS, RESOURCE_FLAVORS
from tests.answers.why.conftest import Asked

pytestmark = pytest.mark.looptime
GPU = "nvidia.com/gpu"


def replicas(count: int, **requests: str) -> Object:
    limits = {GPU: requests[GPU]} if GPU in requests else {}
    container = {"name": "pytorch", "image": "i", "resources": {"requests": requests, "limits": limits}}
    return {"replicas": count, "template": {"spec": {"containers": [container]}}}


async def gpu_queue(asked: Asked, gpus: str, name: str = "cq", flavors: tuple[str, ...] = ("default",), **spec: Any):
    amounts = [("cpu", "32"), ("memory", "128Gi"), (GPU, gpus)]
    group = {
        "coveredResources": [resource for resource, _ in amounts],
        "flavors": [
            {"name": flavor, "resources": [{"name": r, "nominalQuota": q} for r, q in amounts]} for flavor in flavors
        ],
    }
    await asked.make(CLUSTER_QUEUES, name, {"namespaceSelector": {}, "resourceGroups": [group], **spec})
    await asked.make(LOCAL_QUEUES, f"lq-{name}", {"clusterQueue": name})


async def pytorch_job(asked: Asked, name: str, master: Object, worker: Object, queue: str = "lq-cq") -> None:
    spec = {"pytorchReplicaSpecs": {"Master": master, "Worker": worker}}
    await asked.make(PYTORCH_JOBS, name, spec, labels={"kueue.x-k8s.io/queue-name": queue})
    await asked.settle()


async def test_the_master_counts(asked: Asked) -> None:
    """kubernetes-sigs/kueue#189: the message does not say what all pods together ask for."""
    await gpu_queue(asked, "4")
    one = {"cpu": "100m", "memory": "128Mi", GPU: "2"}
    await pytorch_job(asked, "granite", replicas(1, **one), replicas(2, **one))
    found = await asked.root_cause("granite")
    assert (found.code, found.where) == (codes.NEVER_ENOUGH, "ClusterQueue cq")
    assert found.what == "it asks for 3 pods x 2 GPUs = 6 > 4 (master 1, worker 2; Master included)"
    await asked.mend(found)
    job = await asked.plane.client.get(PYTORCH_JOBS, "granite", "team")
    assert not job["spec"]["runPolicy"]["suspend"]
    assert await asked.is_well("granite")


async def test_pod_sets_that_differ_are_summed_one_by_one(asked: Asked) -> None:
    await gpu_queue(asked, "4")
    await pytorch_job(asked, "j", replicas(1, **{GPU: "1"}), replicas(2, **{GPU: "2"}))
    found = await asked.root_cause("j")
    assert found.what.startswith("it asks for master 1 x 1 + worker 2 x 2 GPUs = 5 > 4")
    await asked.mend(found)
    assert await asked.is_well("j")


async def test_every_resource_that_is_short_is_raised_at_once(asked: Asked) -> None:
    await gpu_queue(asked, "4")
    await pytorch_job(asked, "j", replicas(1, **{GPU: "4", "cpu": "20"}), replicas(1, **{GPU: "4", "cpu": "20"}))
    found = await asked.root_cause("j")
    assert "2 pods x 4 GPUs = 8 > 4" in found.what
    assert "2 pods x 20 CPUs = 40 > 32" in found.what
    await asked.mend(found)
    assert await asked.is_well("j")


async def test_a_cohort_s_quota_counts_and_a_borrowing_limit_too(asked: Asked) -> None:
    await gpu_queue(asked, "2", cohortName="lab")
    await gpu_queue(asked, "4", "rich", cohortName="lab")
    await pytorch_job(asked, "j", replicas(1, **{GPU: "2"}), replicas(3, **{GPU: "2"}))
    found = await asked.root_cause("j")
    assert "4 pods x 2 GPUs = 8 > 6" in found.what
    await asked.mend(found)
    assert await asked.is_well("j")


async def test_the_quota_is_busy(asked: Asked) -> None:
    """kubernetes-sigs/kueue#2833: who is ahead, and who holds it?"""
    await asked.queue("4")
    await asked.job("holder", pods=3)
    await asked.settle()
    await asked.job("first", pods=4)
    await asked.settle()
    await asked.job("second", pods=2)
    await asked.settle()
    holder = (await asked.workload("holder"))["metadata"]["name"]
    found = await asked.root_cause("second")
    assert (found.code, found.severity) == (codes.QUOTA_BUSY, Severity.NOTE)
    assert "2 pods x 1 CPU = 2, 1 of 4 free: 1 short" in found.what
    assert f"held by team/{holder} (3 CPUs)" in found.cause
    assert "1 ahead in the queue: team/job-first-" in found.cause
    await asked.finish("holder")
    assert await asked.runs("first")


async def test_who_has_to_end_first_is_named(asked: Asked) -> None:
    await asked.queue("4")
    for name in ("old", "new"):
        await asked.job(name, pods=2)
        await asked.settle()
    await asked.job("waits", pods=2)
    await asked.settle()
    found = await asked.root_cause("waits")
    assert found.cause.endswith(f"admitted when team/{(await asked.workload('old'))['metadata']['name']} has ended")
    await asked.finish("old")
    assert await asked.runs("waits")
    assert await asked.is_well("waits")


async def test_a_resource_without_quota(asked: Asked) -> None:
    """kubernetes-sigs/kueue#4848: "resource ephemeral-storage unavailable in ClusterQueue"."""
    await asked.queue("4")
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1", "ephemeral-storage": "1Gi"}}}
    spec = {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}
    await asked.make(JOBS, "j", spec, labels={"kueue.x-k8s.io/queue-name": "lq"})
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.code == codes.NOT_COVERED
    assert found.what == 'ClusterQueue "cq" has no quota for ephemeral-storage'
    assert found.cause == "it covers cpu"
    await asked.mend(found)
    assert await asked.runs("j")


async def test_no_flavor_suits(asked: Asked) -> None:
    taint = {"key": "gpu", "value": "true", "effect": "NoSchedule"}
    await asked.patch(RESOURCE_FLAVORS, "default", {"spec": {"nodeTaints": [taint]}})
    await asked.queue("4")
    await asked.job("j")
    await asked.settle()
    found = await asked.root_cause("j")
    assert found.code == codes.NO_FLAVOR_MATCHES
    assert "untolerated taint {gpu true NoSchedule <nil>} in flavor default" in found.cause


async def test_nothing_is_found_of_a_job_that_runs(asked: Asked) -> None:
    await asked.node("n1")
    await asked.queue("4")
    await asked.job("j", pods=2)
    await asked.settle()
    for pod in await asked.pods("j"):
        running = {"name": "c", "restartCount": 0, "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}
        await asked.report(pod, {"phase": "Running", "containerStatuses": [running]})
    answer = await asked.why("j")
    assert (answer.state, answer.findings) == ("Running", [])
    await asked.finish("j")
    answer = await asked.why("j")
    assert (answer.state, answer.findings) == ("Succeeded", [])
