"""Probes and hooks of real pods, as their API objects show them."""

from __future__ import annotations

from typing import Any

from sidings.api.conditions import is_true
from sidings.api.resources import PODS
from tests.node.clusters import Cluster, terminated

OFTEN = {"periodSeconds": 1, "failureThreshold": 1}


def _file(path: str) -> dict[str, Any]:
    return {"exec": {"command": ["test", "-e", path]}, **OFTEN}


def _shown(found: dict[str, Any]) -> dict[str, Any]:
    return dict((found["status"].get("containerStatuses") or [{}])[0])


async def test_readiness_by_http_from_inside_the_pods_network(cluster: Cluster) -> None:
    probe = {"httpGet": {"port": "web", "path": "/etc/hostname"}, **OFTEN}
    fields = {"readinessProbe": probe, "ports": [{"name": "web", "containerPort": 8080}]}
    await cluster.run("sleep 1.2; cd /; exec python3 -m http.server 8080", container_fields=fields)
    waiting = await cluster.phase("Running")
    assert not is_true(waiting, "Ready") and _shown(waiting)["started"] is True and not _shown(waiting)["ready"]
    text = await cluster.event("Unhealthy")
    assert text.startswith("Readiness probe failed: Get") and text.endswith("connect: connection refused")
    await cluster.until(lambda found: is_true(found, "Ready"))


async def test_readiness_follows_a_command_in_the_container_both_ways(cluster: Cluster) -> None:
    await cluster.run(
        "touch /tmp/ok; sleep 2; rm /tmp/ok; sleep 60", container_fields={"readinessProbe": _file("/tmp/ok")}
    )
    await cluster.until(lambda found: is_true(found, "Ready"))
    found = await cluster.until(lambda found: not is_true(found, "Ready"))
    assert found["status"]["phase"] == "Running" and _shown(found)["restartCount"] == 0


async def test_a_container_that_fails_liveness_is_restarted(cluster: Cluster) -> None:
    script = "trap 'exit 0' TERM; echo attempt; touch /tmp/ok; sleep 0.5; rm /tmp/ok; while :; do sleep 0.1; done"
    fields = {"livenessProbe": _file("/tmp/ok") | {"initialDelaySeconds": 1}}
    await cluster.run(script, restartPolicy="OnFailure", container_fields=fields)
    found = await cluster.until(lambda found: _shown(found).get("restartCount") == 1)
    assert _shown(found)["lastState"]["terminated"]["exitCode"] == 0
    assert await cluster.event("Killing") == "Container c failed liveness probe, will be restarted"
    assert (await cluster.event("Unhealthy")).startswith("Liveness probe failed: ")


async def test_a_container_that_fails_startup_fails_a_pod_that_is_not_restarted(cluster: Cluster) -> None:
    fields = {"startupProbe": {"tcpSocket": {"port": 9}, **OFTEN}, "livenessProbe": _file("/")}
    await cluster.run("sleep 60", container_fields=fields)
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 143
    assert await cluster.event("Killing") == "Container c failed startup probe"


async def test_hooks_run_in_the_container_at_both_ends(cluster: Cluster) -> None:
    hooks = {
        "postStart": {"exec": {"command": ["sh", "-c", "echo begun > /tmp/said"]}},
        "preStop": {"exec": {"command": ["sh", "-c", "echo ending >> /tmp/said"]}},
    }
    script = "trap 'cat /tmp/said; exit 0' TERM; while :; do sleep 0.05; done"
    fields = {"lifecycle": hooks}
    await cluster.run(script, metadata={"finalizers": ["example.com/keep"]}, container_fields=fields)
    await cluster.phase("Running")
    await cluster.client.delete(PODS, "p", "default")
    await cluster.phase("Succeeded")
    assert (await cluster.logs()).endswith("begun\nending\n")
    await cluster.client.patch(PODS, "p", {"metadata": {"finalizers": None}}, namespace="default")
    await cluster.gone()


async def test_a_hook_takes_of_the_grace_period(cluster: Cluster) -> None:
    fields = {"lifecycle": {"preStop": {"exec": {"command": ["sleep", "60"]}}}}
    await cluster.run("trap 'echo told; exit' TERM; while :; do sleep 0.05; done", container_fields=fields)
    await cluster.phase("Running")
    await cluster.client.delete(PODS, "p", "default", grace_period_seconds=1)
    await cluster.gone()
    assert await cluster.event("FailedPreStopHook") == "PreStopHook failed"


async def test_a_container_whose_post_start_hook_fails_is_stopped(cluster: Cluster) -> None:
    fields = {"lifecycle": {"postStart": {"exec": {"command": ["false"]}}}}
    await cluster.run("sleep 60", container_fields=fields)
    assert terminated(await cluster.phase("Failed"))["exitCode"] == 143
    assert await cluster.event("FailedPostStartHook") == "PostStartHook failed"
