"""The agent as a whole: nodes, what it takes up and what it leaves."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from sidings.api.conditions import is_true
from sidings.api.resources import NODES, PODS
from sidings.clock import SystemClock
from sidings.node.agent import NodeAgent
from sidings.node.errors import NodeError
from sidings.node.logical_node import LogicalNode, NodeConfig
from sidings.node.sandbox import client as sandbox_client
from tests.node import clusters
from tests.node.clusters import Cluster
from tests.node.sandboxes import leftovers
from tests.node.waiting import until


async def test_nodes_are_registered_and_ready(cluster: Cluster) -> None:
    await cluster.output("true")
    nodes = (await cluster.client.list(NODES)).items
    assert [node["metadata"]["name"] for node in nodes] == ["node-1", "node-2"]
    assert all(is_true(node, "Ready") for node in nodes)


async def test_what_others_set_on_a_node_survives_a_restart(cluster: Cluster) -> None:
    await cluster.output("true")
    change = {"spec": {"unschedulable": True}, "metadata": {"labels": {"mine": "yes", "kubernetes.io/hostname": "x"}}}
    await cluster.client.patch(NODES, "node-1", change)
    before = (await cluster.client.get(NODES, "node-1"))["status"]["conditions"]
    await cluster.lose_agent()
    await cluster.restart_agent()
    await cluster.output("true", name="q")
    node = await cluster.client.get(NODES, "node-1")
    assert node["spec"]["unschedulable"] is True
    assert node["metadata"]["labels"]["mine"] == "yes"
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "node-1"
    times = [
        [condition["lastTransitionTime"] for condition in found] for found in (before, node["status"]["conditions"])
    ]
    assert times[0] == times[1]


async def test_a_pod_of_a_node_that_is_no_more_ends_when_its_object_goes(cluster: Cluster) -> None:
    await cluster.run("echo ready; sleep 60", nodeName="node-2")
    uid = (await cluster.phase("Running"))["metadata"]["uid"]
    await cluster.lose_agent()
    await cluster.restart_agent(nodes=clusters.NODES[:1])
    assert await cluster.output("echo the agent works", name="q") == "the agent works\n"
    status = sandbox_client.read_status(cluster.directory / "pods" / uid)
    assert status is not None and sandbox_client.is_alive(status)
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=0)
    await until(lambda: not sandbox_client.is_alive(status) and not (cluster.directory / "pods" / uid).exists())


async def test_stopping_everything_leaves_records_and_nothing_else(cluster: Cluster) -> None:
    await cluster.run("trap 'exit 6' TERM; echo ready; while :; do sleep 0.05; done")
    await cluster.phase("Running")
    await cluster.said("ready")
    await cluster.lose_agent()
    await cluster.agent.stop_all(grace_seconds=20)
    assert leftovers(cluster.directory) == []
    await cluster.restart_agent()
    found = await cluster.phase("Failed")
    assert found["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"] == 6


def test_more_nodes_than_address_ranges_are_refused(tmp_path: Path) -> None:
    nodes = [LogicalNode(f"n{number}", "1", "1Gi") for number in range(256)]
    with pytest.raises(NodeError, match="256 nodes"):
        NodeAgent(None, SystemClock(), random.Random(0), tmp_path, nodes)  # type: ignore[arg-type]


async def test_a_way_outside_that_was_killed_comes_back_while_pods_run(state_dir: Path) -> None:
    def pid() -> int:
        return int(json.loads((state_dir / "outside.json").read_text())["pid"])

    def other_than(killed: int) -> Callable[[], bool]:
        return lambda: pid() != killed

    async for cluster in clusters.opened(state_dir, NodeConfig(heartbeat_seconds=0.2)):
        await cluster.run("exec sleep 600")
        await cluster.phase("Running")
        os.kill(killed := pid(), signal.SIGKILL)
        await until(other_than(killed))
        assert (await cluster.get())["status"]["phase"] == "Running"
