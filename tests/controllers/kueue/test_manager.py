"""Queues as their users see them: jobs wait, start, make room and come back."""

from __future__ import annotations

import pytest

from sidings.api.resources import (
    CLUSTER_QUEUES,
    JOBS,
    LOCAL_QUEUES,
    RESOURCE_FLAVORS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
)
from sidings.api.status import Forbidden, NotFound
from sidings.client.interface import PatchType
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
QUOTA = "/spec/resourceGroups/0/flavors/0/resources/0/nominalQuota"


async def test_a_job_that_fits_starts_with_its_flavor(cluster: Cluster) -> None:
    await cluster.patch(RESOURCE_FLAVORS, "default", {"spec": {"nodeLabels": {"pool": "a"}}})
    await cluster.queue()
    await cluster.job("j", pods=2)
    await cluster.settle()
    job = await cluster.plane.client.get(JOBS, "j", "team")
    assert job["spec"]["suspend"] is False
    assert job["spec"]["template"]["spec"]["nodeSelector"] == {"pool": "a"}
    assert (await cluster.condition("j", "Admitted"))["status"] == "True"


async def test_no_pod_exists_before_all_of_a_job_is_admitted(cluster: Cluster) -> None:
    await cluster.queue("4")
    await cluster.job("big", pods=6)
    await cluster.settle(60)
    assert not await cluster.runs("big")
    assert await cluster.pods("big") == []
    condition = await cluster.condition("big", "QuotaReserved")
    assert condition["reason"] == "ExceedsMaxQuota"
    assert condition["message"].endswith("current podset request (6) > maximum capacity (4)")
    await cluster.patch(CLUSTER_QUEUES, "cq", [{"op": "replace", "path": QUOTA, "value": "6"}], PatchType.JSON)
    await cluster.settle()
    assert await cluster.runs("big")
    assert len(await cluster.pods("big")) == 6


async def test_one_that_waits_starts_when_another_ends(cluster: Cluster) -> None:
    await cluster.queue("2")
    await cluster.job("first", pods=2)
    await cluster.settle()
    await cluster.job("second", pods=2)
    await cluster.settle()
    assert not await cluster.runs("second")
    await cluster.finish("first")
    assert await cluster.runs("second")
    assert (await cluster.condition("first", "Finished"))["reason"] == "Succeeded"


async def test_the_more_important_job_gets_the_quota_and_the_other_comes_back(cluster: Cluster) -> None:
    await cluster.make(WORKLOAD_PRIORITY_CLASSES, "high", value=100)
    await cluster.queue("2", preemption={"withinClusterQueue": "LowerPriority"})
    await cluster.job("low", pods=2)
    await cluster.settle()
    assert await cluster.runs("low")
    await cluster.job("high", pods=2, labels={"kueue.x-k8s.io/priority-class": "high"})
    await cluster.settle()
    assert not await cluster.runs("low")
    assert await cluster.runs("high")
    assert await cluster.pods("low") == []
    evicted = await cluster.condition("low", "Preempted")
    assert evicted["reason"] == "InClusterQueue"
    await cluster.finish("high")
    assert await cluster.runs("low")
    assert (await cluster.condition("low", "Evicted"))["status"] == "False"


async def test_smaller_ones_pass_a_job_that_does_not_fit(cluster: Cluster) -> None:
    await cluster.queue("4")
    for name, pods in (("huge", 9), ("large", 8), ("small", 1), ("tiny", 1)):
        await cluster.job(name, pods=pods)
    await cluster.settle()
    assert [await cluster.runs(name) for name in ("huge", "large", "small", "tiny")] == [False, False, True, True]


async def test_the_first_of_a_strict_queue_is_not_passed(cluster: Cluster) -> None:
    await cluster.queue("4", queueingStrategy="StrictFIFO")
    await cluster.job("running", pods=3)
    await cluster.settle()
    await cluster.job("large", pods=4)
    await cluster.settle()
    await cluster.job("small", pods=1)
    await cluster.settle(30)
    assert not await cluster.runs("large")
    assert not await cluster.runs("small")
    await cluster.finish("running")
    assert await cluster.runs("large")


async def test_a_stopped_queue_drains_and_starts_again(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j")
    await cluster.settle()
    await cluster.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "HoldAndDrain"}})
    await cluster.settle()
    assert not await cluster.runs("j")
    assert (await cluster.condition("j", "Evicted"))["reason"] == "ClusterQueueStopped"
    await cluster.patch(CLUSTER_QUEUES, "cq", {"spec": {"stopPolicy": "None"}})
    await cluster.settle()
    assert await cluster.runs("j")
    assert (await cluster.condition("j", "Requeued"))["reason"] == "ClusterQueueRestarted"


async def test_pods_that_never_get_ready_give_their_quota_back(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j")
    await cluster.settle(1801)
    assert not await cluster.runs("j")
    workload = await cluster.workload("j")
    assert (await cluster.condition("j", "Evicted"))["reason"] == "PodsReadyTimeout"
    assert workload["status"]["requeueState"]["count"] == 1
    await cluster.settle(70)
    assert await cluster.runs("j"), "after a back-off of a minute it is tried again"


async def test_a_time_limit_ends_a_job_for_good(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j", labels={"kueue.x-k8s.io/max-exec-time-seconds": "30"})
    await cluster.settle()
    assert await cluster.runs("j")
    await cluster.settle(40)
    assert not await cluster.runs("j")
    assert (await cluster.workload("j"))["spec"]["active"] is False


async def test_a_namespace_has_a_default_queue(cluster: Cluster) -> None:
    await cluster.queue(local="default")
    await cluster.job("j", queue="")
    await cluster.settle()
    job = await cluster.plane.client.get(JOBS, "j", "team")
    assert job["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "default"
    assert await cluster.runs("j")


async def test_a_job_does_not_leave_its_queue_for_none_where_there_is_a_default(cluster: Cluster) -> None:
    await cluster.queue(local="default")
    await cluster.job("big", pods=9, queue="")
    await cluster.settle()
    with pytest.raises(Forbidden, match="queue-name must not be empty in namespace with default queue"):
        await cluster.patch(JOBS, "big", {"metadata": {"labels": {"kueue.x-k8s.io/queue-name": None}}})


async def test_a_job_that_names_no_queue_is_left_alone(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j", queue="")
    await cluster.settle()
    assert len(await cluster.pods("j")) == 1
    assert (await cluster.plane.client.list(WORKLOADS, "team")).items == []


async def test_status_of_queues(cluster: Cluster) -> None:
    await cluster.queue("2")
    await cluster.job("a", pods=2)
    await cluster.settle()
    await cluster.job("b", pods=2)
    await cluster.settle()
    status = (await cluster.plane.client.get(CLUSTER_QUEUES, "cq"))["status"]
    assert (status["pendingWorkloads"], status["admittedWorkloads"]) == (1, 1)
    assert status["flavorsUsage"] == [
        {"name": "default", "resources": [{"name": "cpu", "total": "2", "borrowed": "0"}]}
    ]
    local = (await cluster.plane.client.get(LOCAL_QUEUES, "lq", "team"))["status"]
    assert (local["pendingWorkloads"], local["admittedWorkloads"]) == (1, 1)


async def test_what_is_in_use_stays_until_it_is_not(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j")
    await cluster.settle()
    await cluster.plane.client.delete(RESOURCE_FLAVORS, "default")
    await cluster.plane.client.delete(CLUSTER_QUEUES, "cq")
    await cluster.settle()
    queue = await cluster.plane.client.get(CLUSTER_QUEUES, "cq")
    assert queue["status"]["conditions"][0]["reason"] == "Terminating"
    await cluster.finish("j")
    await cluster.settle()
    for resource, name in ((CLUSTER_QUEUES, "cq"), (RESOURCE_FLAVORS, "default")):
        with pytest.raises(NotFound):
            await cluster.plane.client.get(resource, name)


async def test_quota_of_a_deleted_job_is_free_again(cluster: Cluster) -> None:
    await cluster.queue("1")
    await cluster.job("a")
    await cluster.settle()
    await cluster.job("b")
    await cluster.settle()
    await cluster.plane.client.delete(JOBS, "a", "team", propagation_policy="Background")
    await cluster.settle()
    assert await cluster.runs("b")
    assert len((await cluster.plane.client.list(WORKLOADS, "team")).items) == 1


async def test_who_is_like_one_that_was_refused_says_that_nobody_looked(cluster: Cluster) -> None:
    await cluster.queue(quota="2")
    await cluster.job("runs", pods=2)
    await cluster.settle()
    await cluster.job("first", pods=2)
    await cluster.settle()
    await cluster.job("second", pods=2)
    await cluster.settle()
    refused = await cluster.condition("first", "QuotaReserved")
    bypassed = await cluster.condition("second", "QuotaReserved")
    assert (refused["reason"], refused["message"][-13:]) == ("WaitingForQuota", "2 more needed")
    assert bypassed["reason"] == "PendingEvaluation"
    assert bypassed["message"] == "Bypassed scheduling evaluation because an equivalent workload recently failed"
    assert (await cluster.workload("second"))["status"]["resourceRequests"]
    await cluster.finish("runs")
    assert await cluster.runs("first")
    assert not await cluster.runs("second")


async def test_a_gated_job_queues_when_its_gate_is_taken_away(cluster: Cluster) -> None:
    gate = "kueue.x-k8s.io/admission-gated-by"
    await cluster.queue()
    await cluster.job("gated", annotations={gate: "example.com/office"})
    await cluster.settle()
    found = await cluster.condition("gated", "QuotaReserved")
    assert (found["reason"], found["message"]) == ("AdmissionGated", "Admission is gated by: example.com/office")
    assert not await cluster.runs("gated")
    await cluster.patch(JOBS, "gated", {"metadata": {"annotations": {gate: None}}})
    await cluster.settle()
    assert await cluster.runs("gated")
