"""Pods start on the nodes that the queue chose."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.api.resources import JOBS, PODS
from sidings.controllers.kueue.topology_ungater import Placed, rank, ungated
from tests.controllers.kueue.conftest import Cluster

RACK, HOST = "example.com/rack", "kubernetes.io/hostname"
GATE = [{"name": "kueue.x-k8s.io/topology"}]


def pod(name: str, labels: dict[str, str] | None = None, **spec: Any) -> Object:
    metadata = {"name": name, "labels": labels or {}, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"metadata": metadata, "spec": {"schedulingGates": GATE, **spec}, "status": {"phase": "Pending"}}


def of(*places: str, index: str = "i", sub_group: str = "", size: int = 0) -> Placed:
    return Placed("main", [HOST], [(place,) for place in places], index, sub_group, size)


def hosts(pods: list[Object]) -> dict[str, str]:
    return {pod["metadata"]["name"]: pod["spec"]["nodeSelector"][HOST] for pod in pods}


def test_numbered_pods_go_in_the_order_of_ranks() -> None:
    pods = [pod("b", {"i": "2"}), pod("a", {"i": "0"})]
    found = ungated(pods, of("x", "x", "y"))
    assert hosts(found) == {"a": "x", "b": "y"}
    assert all("schedulingGates" not in pod["spec"] for pod in found)


def test_two_labels_number_pods_of_replicated_jobs() -> None:
    numbered = pod("p", {"i": "1", "g": "2"})
    assert rank(numbered, of(index="i", sub_group="g", size=4)) == 9


def test_others_take_what_is_left() -> None:
    bound = pod("running", nodeSelector={HOST: "x"})
    del bound["spec"]["schedulingGates"]
    assert hosts(ungated([bound, pod("new")], of("x", "y"))) == {"new": "y"}


def test_who_stayed_when_nodes_were_replaced_keeps_the_place_of_another_number() -> None:
    stays = pod("stays", {"i": "0"}, nodeSelector={HOST: "y"})
    del stays["spec"]["schedulingGates"]
    assert hosts(ungated([stays, pod("new", {"i": "1"})], of("x", "y"))) == {"new": "x"}


def test_there_is_no_room_for_more_than_were_placed() -> None:
    assert len(ungated([pod("a"), pod("b"), pod("c")], of("x", "y"))) == 2


@pytest.mark.looptime
async def test_a_job_is_placed_on_one_rack(cluster: Cluster) -> None:
    await cluster.topology(RACK, HOST)
    for name, rack in (("n1", "r1"), ("n2", "r2"), ("n3", "r2")):
        await cluster.node(name, {RACK: rack})
    await cluster.queue("8")
    await job(cluster, "wide", 4)
    await cluster.settle(2)
    placed = {p["spec"]["nodeSelector"][HOST] for p in await cluster.pods("wide")}
    assert placed == {"n2", "n3"}
    await job(cluster, "second", 4)
    await cluster.settle(2)
    assert not await cluster.runs("second")
    assert "allows to fit only 2 out of 4 pod(s)" in (await cluster.condition("second", "QuotaReserved"))["message"]


@pytest.mark.looptime
async def test_pods_beside_the_queue_take_room(cluster: Cluster) -> None:
    await cluster.topology(HOST)
    await cluster.node("n1", {RACK: "r1"})
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    await cluster.make(PODS, "other", {"nodeName": "n1", "containers": [container]})
    await cluster.queue("6")
    await job(cluster, "j", 2)
    await cluster.settle(2)
    assert "allows to fit only 1 out of 2 pod(s)" in (await cluster.condition("j", "QuotaReserved"))["message"]


async def job(cluster: Cluster, name: str, pods: int) -> None:
    container = {"name": "c", "image": "i", "command": ["true"], "resources": {"requests": {"cpu": "1"}}}
    annotations = {"kueue.x-k8s.io/podset-required-topology": RACK if pods > 2 else HOST}
    template = {"metadata": {"annotations": annotations}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "template": template}
    await cluster.make(JOBS, name, spec, labels={"kueue.x-k8s.io/queue-name": "lq"})
