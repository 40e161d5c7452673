"""Nodes fail under placed Workloads."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sidings.api import catalog, timestamps
from sidings.api.kueue import topology_assignment
from sidings.api.kueue.topology_assignment import Placement
from sidings.api.objects import Key
from sidings.api.resources import JOBS, NODES, WORKLOADS
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.kueue.node_failures import DELAY, NodeFailures, marked, seconds_left
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.controllers.kueue.conftest import Cluster
from tests.queue import objects

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HOST = "kubernetes.io/hostname"


def ready(status: str, ago: float = 0.0) -> dict[str, Any]:
    since = timestamps.to_text(NOW - timedelta(seconds=ago))
    return {"status": {"conditions": [{"type": "Ready", "status": status, "lastTransitionTime": since}]}}


def test_a_node_has_failed_when_it_is_gone_or_not_ready_for_long() -> None:
    assert seconds_left(None, NOW) == 0
    assert seconds_left(ready("True", 99), NOW) is None
    assert seconds_left(ready("Unknown", 10), NOW) == DELAY - 10
    assert seconds_left(ready("False", 99), NOW) == 0


def test_a_node_is_told_once_and_taken_back() -> None:
    workload = {"metadata": {}, "spec": {}, "status": {"unhealthyNodes": [{"name": "a"}]}}
    both = marked(workload, "b", failed=True)
    assert both is not None
    assert both["status"]["unhealthyNodes"] == [{"name": "a"}, {"name": "b"}]
    assert marked(both, "b", failed=True) is None
    none = marked(workload, "a", failed=False)
    assert none is not None
    assert "unhealthyNodes" not in none["status"]


async def placed(cluster: Cluster, nodes: tuple[str, ...]) -> None:
    """A Job of two pods on the node n1."""
    await cluster.topology(HOST)
    for name in nodes:
        await cluster.node(name)
    await cluster.queue("8")
    container = {"name": "c", "image": "i", "command": ["true"], "resources": {"requests": {"cpu": "1"}}}
    annotations = {"kueue.x-k8s.io/podset-required-topology": HOST}
    template = {"metadata": {"annotations": annotations}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    spec = {"parallelism": 2, "completions": 2, "backoffLimit": 9, "template": template}
    await cluster.make(JOBS, "j", spec, labels={"kueue.x-k8s.io/queue-name": "lq"})
    await cluster.settle(2)
    assert {pod["spec"]["nodeSelector"][HOST] for pod in await cluster.pods("j")} == {"n1"}


@pytest.mark.looptime
async def test_a_workload_gets_another_node_for_one_that_is_gone(cluster: Cluster) -> None:
    await placed(cluster, ("n1", "n2"))
    await cluster.plane.client.delete(NODES, "n1")
    await cluster.settle()
    status = (await cluster.workload("j"))["status"]
    [entry] = status["admission"]["podSetAssignments"]
    [part] = entry["topologyAssignment"]["slices"]
    assert part["valuesPerLevel"] == [{"universal": "n2"}]
    assert "unhealthyNodes" not in status
    assert (await cluster.condition("j", "Evicted")).get("status") != "True"


@pytest.mark.looptime
async def test_without_another_node_it_is_evicted(cluster: Cluster) -> None:
    await placed(cluster, ("n1",))
    await cluster.plane.client.delete(NODES, "n1")
    await cluster.settle(60)
    evicted = await cluster.condition("j", "Evicted")
    assert (evicted["status"], evicted["reason"]) == ("True", "NodeFailures")
    text = "Workload was evicted as there was no replacement for unhealthy node(s): n1"
    assert evicted["message"] == text
    assert not await cluster.runs("j")
    await cluster.node("n3")
    await cluster.settle()
    assert await cluster.runs("j")


@pytest.mark.looptime
async def test_a_node_that_came_back_while_nobody_looked_is_called_unhealthy_no_more() -> None:
    clock, rng = LoopClock(), random.Random(1)
    client = LocalClient(Registry(Store.in_memory(), catalog.builtin(), clock, rng))
    await client.create(NODES, {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, **ready("True")})
    workload = objects.admitted(objects.workload("w"), "q")
    placement = topology_assignment.encode(Placement((HOST,), ((("n1",), 1),)))
    workload["status"]["admission"]["podSetAssignments"][0]["topologyAssignment"] = placement
    told = {"reason": "Told", "message": "", "lastTransitionTime": timestamps.to_text(NOW)}
    workload["status"]["conditions"] = [
        {"type": type_, "status": "True", **told} for type_ in ("QuotaReserved", "Admitted")
    ]
    workload["status"]["unhealthyNodes"] = [{"name": "n1"}]
    stored = {**workload, "apiVersion": WORKLOADS.api_version, "metadata": {"name": "w"}}
    await client.create(WORKLOADS, stored, namespace="default")
    patch = {"status": workload["status"]}
    before = await client.patch(WORKLOADS, "w", patch, namespace="default", subresource="status")
    assert before["status"]["unhealthyNodes"]
    await NodeFailures(client, clock, rng).reconcile(Key("", "n1"))
    assert "unhealthyNodes" not in (await client.get(WORKLOADS, "w", "default"))["status"]
