"""What nodes and pods use, and nodes that are emptied, with the real kubectl."""

import pytest

from tests.e2e.machine import Machine, pod, wait_for

pytestmark = pytest.mark.e2e


def _columns(table: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in table.splitlines()}


def test_top(cluster: Machine) -> None:
    hog = "exec python3 -c 'x = bytearray(200_000_000)\nwhile True: pass'"
    cluster.apply(pod("hog", hog, nodeName="node-2"))
    cluster.apply(pod("idle", "sleep 600", nodeName="node-3"))
    cluster.wait_for_condition("Ready", "pod/hog", "pod/idle")

    def pods() -> dict[str, list[str]]:
        """None yet of a pod that has just begun."""
        return _columns(cluster.try_kubectl("top", "pods", "--no-headers").stdout)

    def uses_much() -> bool:
        cpu, memory = pods().get("hog", ["0m", "0Mi"])
        return int(cpu.removesuffix("m")) > 50 and int(memory.removesuffix("Mi")) > 150

    wait_for(uses_much)
    assert int(pods()["idle"][0].removesuffix("m")) < 50
    assert cluster.kubectl("top", "pod", "hog", "--containers", "--no-headers").split()[:2] == ["hog", "main"]
    nodes = _columns(cluster.kubectl("top", "nodes", "--no-headers"))
    assert int(nodes["node-2"][0].removesuffix("m")) > 50
    assert nodes["node-1"][0] == "0m"
    assert 'pods "nobody" not found' in cluster.refused("top", "pod", "nobody")


def test_drain_evicts_and_a_cordoned_node_gets_nothing(cluster: Machine) -> None:
    cluster.apply(pod("here", "sleep 600", nodeName="node-2"))
    cluster.apply(pod("there", "sleep 600", nodeName="node-3"))
    cluster.wait_for_condition("Ready", "pod/here", "pod/there")
    out = cluster.kubectl("drain", "node-2", "--force", "--grace-period=1", "--timeout=180s")
    try:
        assert "evicting pod default/here" in out or "pod/here evicted" in out
        assert "node/node-2 drained" in out
        assert [each["metadata"]["name"] for each in cluster.objects("pods")] == ["there"]
        assert cluster.object("node", "node-2", "")["spec"]["unschedulable"] is True
    finally:
        cluster.kubectl("uncordon", "node-2")
    cluster.apply(pod("again", "sleep 600", nodeSelector={"kubernetes.io/hostname": "node-2"}))
    wait_for(lambda: cluster.object("pod", "again")["spec"].get("nodeName") == "node-2")
