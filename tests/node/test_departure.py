"""Pods when their node stops, with real sandboxes."""

from __future__ import annotations

from tests.node.clusters import Cluster, terminated


async def test_hooks_run_and_the_pods_own_grace_is_its_limit(cluster: Cluster) -> None:
    await cluster.run(
        "trap 'echo asked after; cat /tmp/hook; exit 7' TERM; echo ready; while :; do sleep 0.05; done",
        container_fields={"lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", "echo the hook > /tmp/hook"]}}}},
    )
    await cluster.run("trap '' TERM; echo ready; while :; do sleep 0.05; done", "q", terminationGracePeriodSeconds=1)
    for name in ("p", "q"):
        await cluster.phase("Running", name=name)
        await cluster.said("ready", name)
    await cluster.lose_agent()
    await cluster.agent.stop_all(grace_seconds=20)
    await cluster.restart_agent()
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 7
    assert (await cluster.logs()).endswith("asked after\nthe hook\n")
    deaf = terminated(await cluster.phase("Failed", name="q"))
    assert deaf["exitCode"] == 137


async def test_no_pod_gets_more_than_the_node_grants(cluster: Cluster) -> None:
    hook = {"preStop": {"sleep": {"seconds": 20}}}
    await cluster.run("trap '' TERM; echo ready; while :; do sleep 0.05; done", container_fields={"lifecycle": hook})
    await cluster.phase("Running")
    await cluster.said("ready")
    await cluster.lose_agent()
    await cluster.agent.stop_all(grace_seconds=0.3)
    await cluster.restart_agent()
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 137
