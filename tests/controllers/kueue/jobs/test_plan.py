"""What users change of jobs in a queue, and what their Workloads make of it."""

from __future__ import annotations

import pytest

from sidings.api.objects import Object
from sidings.api.resources import EVENTS, JOBS, WORKLOAD_PRIORITY_CLASSES, WORKLOADS
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
PRIORITY = "kueue.x-k8s.io/priority-class"
LIMIT = "kueue.x-k8s.io/max-exec-time-seconds"
QUEUE = "kueue.x-k8s.io/queue-name"


async def label(cluster: Cluster, job: str, **labels: str | None) -> None:
    await cluster.patch(JOBS, job, {"metadata": {"labels": labels}})
    await cluster.settle()


async def told(cluster: Cluster, reason: str) -> list[str]:
    events = (await cluster.plane.client.list(EVENTS, "team")).items
    return [event["message"] for event in events if event["reason"] == reason]


async def spec(cluster: Cluster, job: str) -> Object:
    return dict((await cluster.workload(job))["spec"])


@pytest.fixture
async def classes(cluster: Cluster) -> Cluster:
    for name, value in (("high", 100), ("low", -100)):
        await cluster.make(WORKLOAD_PRIORITY_CLASSES, name, value=value)
    await cluster.queue("2", preemption={"withinClusterQueue": "LowerPriority"})
    return cluster


async def test_a_running_job_that_becomes_less_important_makes_room(classes: Cluster) -> None:
    await classes.job("running", pods=2, labels={PRIORITY: "high"})
    await classes.settle()
    await classes.job("waiting", pods=2)
    await classes.settle()
    assert not await classes.runs("waiting")
    await label(classes, "running", **{PRIORITY: "low"})
    assert (await spec(classes, "running"))["priority"] == -100
    name = (await classes.workload("running"))["metadata"]["name"]
    assert f"Updated workload priority class: team/{name}" in await told(classes, "UpdatedWorkload")
    assert await classes.runs("waiting")
    assert not await classes.runs("running")


async def test_a_waiting_job_gets_and_loses_a_priority(classes: Cluster) -> None:
    await classes.job("big", pods=3)
    await classes.settle()
    await label(classes, "big", **{PRIORITY: "high"})
    reference = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}
    found = await spec(classes, "big")
    assert (found["priority"], found["priorityClassRef"]) == (100, reference)
    await label(classes, "big", **{PRIORITY: None})
    found = await spec(classes, "big")
    assert (found["priority"], "priorityClassRef" in found) == (0, False)


async def test_a_class_that_does_not_exist_changes_nothing(classes: Cluster) -> None:
    await classes.job("big", pods=3, labels={PRIORITY: "high"})
    await classes.settle()
    await label(classes, "big", **{PRIORITY: "none"})
    assert (await spec(classes, "big"))["priority"] == 100
    await classes.make(WORKLOAD_PRIORITY_CLASSES, "none", value=7)
    await label(classes, "big", other="label")
    assert (await spec(classes, "big"))["priority"] == 7


async def test_a_job_waits_for_the_class_that_it_names(classes: Cluster) -> None:
    await classes.job("j", labels={PRIORITY: "late"})
    await classes.settle()
    assert not await classes.runs("j")
    assert await told(classes, "ErrWorkloadCompose") == ['workloadpriorityclasses.kueue.x-k8s.io "late" not found']
    await classes.make(WORKLOAD_PRIORITY_CLASSES, "late", value=5)
    await classes.settle()
    assert await classes.runs("j")
    assert (await spec(classes, "j"))["priority"] == 5


async def test_a_time_limit_comes_and_goes_while_a_job_waits(classes: Cluster) -> None:
    await classes.job("big", pods=3, labels={LIMIT: "60"})
    await classes.settle()
    assert (await spec(classes, "big"))["maximumExecutionTimeSeconds"] == 60
    await label(classes, "big", **{LIMIT: None})
    assert "maximumExecutionTimeSeconds" not in await spec(classes, "big")
    assert len(await told(classes, "UpdatedWorkload")) == 1


async def test_a_job_that_is_edited_while_it_is_deactivated_stays_so(classes: Cluster) -> None:
    await classes.job("big", pods=3)
    await classes.settle()
    name = (await classes.workload("big"))["metadata"]["name"]
    await classes.patch(WORKLOADS, name, {"spec": {"active": False}})
    await classes.patch(JOBS, "big", {"spec": {"parallelism": 2}})
    await classes.settle()
    found = await spec(classes, "big")
    assert (found["podSets"][0]["count"], found["active"]) == (2, False)
    assert not await classes.runs("big")


async def test_a_waiting_job_moves_to_another_queue(classes: Cluster) -> None:
    await classes.queue("4", name="wide", local="other")
    await classes.job("big", pods=3)
    await classes.settle()
    assert not await classes.runs("big")
    await label(classes, "big", **{QUEUE: "other"})
    assert await classes.runs("big")
    assert (await classes.workload("big"))["status"]["admission"]["clusterQueue"] == "wide"


PREBUILT = "kueue.x-k8s.io/prebuilt-workload-name"


async def prebuild(cluster: Cluster, job: str, pods: int) -> None:
    """A Workload called as ``job`` names it, with the pod template of ``job`` as it is stored."""
    template = (await cluster.plane.client.get(JOBS, job, "team"))["spec"]["template"]
    pod_set = {"name": "main", "count": pods, "template": template}
    await cluster.make(WORKLOADS, "pre", {"queueName": "lq", "podSets": [pod_set]})
    await cluster.settle()


async def test_a_job_that_names_a_workload_waits_for_it_and_takes_it_over(classes: Cluster) -> None:
    await classes.job("j", pods=2, labels={PREBUILT: "pre"})
    await classes.settle()
    assert (await classes.plane.client.list(WORKLOADS, "team")).items == []
    await prebuild(classes, "j", 2)
    assert await classes.runs("j")
    workload = await classes.plane.client.get(WORKLOADS, "pre", "team")
    [owner] = workload["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["controller"]) == ("Job", "j", True)
    await classes.finish("j")
    assert (await classes.condition("j", "Finished"))["reason"] == "Succeeded"


async def test_a_prebuilt_workload_that_asks_for_something_else_is_over(classes: Cluster) -> None:
    await classes.job("j", pods=2, labels={PREBUILT: "pre"})
    await prebuild(classes, "j", 1)
    assert not await classes.runs("j")
    finished = await classes.condition("j", "Finished")
    assert finished["reason"] == "OutOfSync"
    assert finished["message"] == "The prebuilt workload is out of sync with its user job"


async def test_a_workload_belongs_to_the_first_that_names_it(classes: Cluster) -> None:
    await classes.job("first", labels={PREBUILT: "pre"})
    await prebuild(classes, "first", 1)
    await classes.job("second", labels={PREBUILT: "pre"})
    await classes.settle()
    assert (await classes.runs("first"), await classes.runs("second")) == (True, False)
    await classes.plane.client.delete(JOBS, "second", "team", propagation_policy="Background")
    await classes.settle()
    assert await classes.runs("first")
    assert "Finished" not in str((await classes.workload("first"))["status"])
