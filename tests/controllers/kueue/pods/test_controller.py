"""Pods that queue by themselves, in a whole control plane on virtual time."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.conditions import find, is_true
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, PODS, RESOURCE_FLAVORS, WORKLOAD_PRIORITY_CLASSES, WORKLOADS
from sidings.api.status import Forbidden, NotFound
from tests.controllers.kueue.conftest import Cluster

pytestmark = pytest.mark.looptime
GROUP = "kueue.x-k8s.io/pod-group-name"


async def pod(cluster: Cluster, name: str, cpu: str = "1", group: str = "", total: int = 0, **labels: str) -> Object:
    container = {"name": "c", "image": "i", "command": ["true"], "resources": {"requests": {"cpu": cpu}}}
    marks: dict[str, Any] = {"kueue.x-k8s.io/queue-name": "lq", **labels, **({GROUP: group} if group else {})}
    annotations = {"kueue.x-k8s.io/pod-group-total-count": str(total)} if total else {}
    obj = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": marks, "annotations": annotations},
        "spec": {"restartPolicy": "Never", "containers": [container]},
    }
    return await cluster.plane.client.create(PODS, obj, namespace="team")


async def gates(cluster: Cluster, name: str) -> list[str]:
    spec = (await cluster.plane.client.get(PODS, name, "team"))["spec"]
    return [gate["name"] for gate in spec.get("schedulingGates") or ()]


async def end(cluster: Cluster, name: str, phase: str = "Succeeded") -> None:
    await cluster.plane.client.patch(PODS, name, {"status": {"phase": phase}}, namespace="team", subresource="status")
    await cluster.settle()


async def test_a_pod_starts_with_its_flavor(cluster: Cluster) -> None:
    await cluster.patch(RESOURCE_FLAVORS, "default", {"spec": {"nodeLabels": {"pool": "a"}}})
    await cluster.queue("1")
    made = await pod(cluster, "one")
    assert made["metadata"]["labels"]["kueue.x-k8s.io/managed"] == "true"
    assert made["metadata"]["finalizers"] == ["kueue.x-k8s.io/managed"]
    await cluster.settle()
    await pod(cluster, "two")
    await cluster.settle()
    assert await gates(cluster, "one") == []
    assert (await cluster.plane.client.get(PODS, "one", "team"))["spec"]["nodeSelector"] == {"pool": "a"}
    assert await gates(cluster, "two") == ["kueue.x-k8s.io/admission"]
    await end(cluster, "one")
    assert await gates(cluster, "two") == []
    assert "finalizers" not in (await cluster.plane.client.get(PODS, "one", "team"))["metadata"]


async def test_a_group_starts_when_all_of_it_is_there_and_fits(cluster: Cluster) -> None:
    await cluster.queue("4")
    await pod(cluster, "a", group="g", total=3)
    await pod(cluster, "b", group="g", total=3)
    await cluster.settle()
    assert (await cluster.plane.client.list(WORKLOADS, "team")).items == []
    await pod(cluster, "c", cpu="2", group="g", total=3)
    await cluster.settle()
    workload = await cluster.plane.client.get(WORKLOADS, "g", "team")
    assert sorted(entry["count"] for entry in workload["spec"]["podSets"]) == [1, 2]
    assert is_true(workload, "Admitted")
    assert [await gates(cluster, name) for name in "abc"] == [[], [], []]
    for name in "abc":
        await end(cluster, name)
    workload = await cluster.plane.client.get(WORKLOADS, "g", "team")
    finished = find(workload["status"]["conditions"], "Finished") or {}
    assert (finished["reason"], finished["message"]) == ("Succeeded", "Pods succeeded: 3/3.")


async def test_a_group_that_is_too_large_holds_all_its_pods(cluster: Cluster) -> None:
    await cluster.queue("1")
    for name in "ab":
        await pod(cluster, name, group="g", total=2)
    await cluster.settle()
    assert [await gates(cluster, name) for name in "ab"] == [["kueue.x-k8s.io/admission"]] * 2


async def test_more_pods_than_the_group_has_go(cluster: Cluster) -> None:
    await cluster.queue("4")
    for name in "abc":
        await pod(cluster, name, group="g", total=2)
        await cluster.settle(2)
    with pytest.raises(NotFound):
        await cluster.plane.client.get(PODS, "c", "team")
    reasons = {event["reason"] for event in (await cluster.plane.client.list(EVENTS, "team")).items}
    assert "ExcessPodDeleted" in reasons


async def test_a_preempted_pod_is_deleted(cluster: Cluster) -> None:
    await cluster.make(WORKLOAD_PRIORITY_CLASSES, "high", value=100)
    await cluster.queue("1", preemption={"withinClusterQueue": "LowerPriority"})
    await pod(cluster, "low")
    await cluster.settle()
    await pod(cluster, "high", **{"kueue.x-k8s.io/priority-class": "high"})
    await cluster.settle()
    with pytest.raises(NotFound):
        await cluster.plane.client.get(PODS, "low", "team")
    assert await gates(cluster, "high") == []


async def test_a_group_says_how_many_it_is(cluster: Cluster) -> None:
    with pytest.raises(Forbidden, match="pod-group-total-count"):
        await pod(cluster, "a", group="g")


async def test_pods_of_a_queued_job_are_the_jobs(cluster: Cluster) -> None:
    await cluster.queue()
    await cluster.job("j")
    await cluster.settle()
    (made,) = await cluster.pods("j")
    assert "kueue.x-k8s.io/managed" not in made["metadata"]["labels"]
    assert "schedulingGates" not in made["spec"]


async def test_a_pod_waits_for_the_class_that_it_names(cluster: Cluster) -> None:
    await cluster.queue()
    await pod(cluster, "one", **{"kueue.x-k8s.io/priority-class": "late"})
    await cluster.settle()
    assert await gates(cluster, "one") != []
    await cluster.make(WORKLOAD_PRIORITY_CLASSES, "late", value=5)
    await cluster.settle()
    assert await gates(cluster, "one") == []
