"""Pods from images on the real engines of this machine: what holds for pods of ours holds for these."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.api.conditions import find
from sidings.api.objects import uid_of
from sidings.api.pods import StreamOptions
from sidings.api.resources import CONFIG_MAPS, NODES, PODS, SERVICES
from sidings.node.container_engine import discovery, invocation
from sidings.node.logical_node import NodeConfig
from sidings.node.sandbox.client import read_status
from tests.node import clusters
from tests.node.clusters import Cluster, terminated
from tests.node.container_engine.images import IMAGE, imported, missing
from tests.node.pods import service
from tests.node.sessions import Client
from tests.node.waiting import until

PIPES = StreamOptions("c", stdout=True, stderr=True)


@pytest.fixture(params=["podman", "docker"])
async def engine(request: pytest.FixtureRequest, state_dir: Path, tmp_path: Path) -> AsyncIterator[Cluster]:
    """An agent whose pods are run by an engine; the image of all of them has an entrypoint, a user and a variable."""
    name: str = request.param
    if why := missing(name):
        pytest.skip(why)
    imported(name, tmp_path)
    async for cluster in clusters.opened(state_dir, NodeConfig(runtime=name)):
        cluster.image = IMAGE
        yield cluster
    assert _left(name, state_dir) == ""


def _left(name: str, state_dir: Path) -> str:
    """What the engine has of an agent's containers; the image goes, too."""
    found = discovery.installed(name, os.environ, state_dir)
    assert found is not None
    listed = subprocess.run(invocation.listed(found), capture_output=True, text=True, check=True).stdout
    subprocess.run([name, "rmi", "--force", IMAGE], capture_output=True, check=True)
    return listed


async def _execute(cluster: Cluster, *command: str, client: Client | None = None, tty: bool = False) -> int:
    options = StreamOptions("c", stdin=True, stdout=True, tty=True) if tty else PIPES
    return await cluster.agent.doors.execute(await cluster.get(), command, options, client or Client())


async def _said(cluster: Cluster, text: str, name: str = "p") -> None:
    await cluster.phase("Running", name=name)
    await cluster.said(text, name)


def _pids(cluster: Cluster, uid: str) -> tuple[int, int]:
    """Of the pod's shim and of its container's first process."""
    status = read_status(cluster.directory / "pods" / uid)
    assert status is not None
    return status.pid, status.attempts["c"][-1].pid


async def test_what_the_image_says(engine: Cluster) -> None:
    await engine.run("", container_fields={"command": None})
    found = await engine.phase("Succeeded")
    assert await engine.logs() == "app\n/tmp\nhi\n"
    shown = found["status"]["containerStatuses"][0]
    assert shown["containerID"].split("://")[0] in ("podman", "docker")
    assert "sha256:" in shown["imageID"]
    node = await engine.client.get(NODES, "node-1")
    assert node["status"]["nodeInfo"]["containerRuntimeVersion"].split("://")[0] in ("podman", "docker")
    software = find(node["status"]["conditions"], "sidings.dev/HostSoftware")
    assert software is not None
    assert (software["status"], software["reason"]) == ("False", "ImagesRun")


async def test_a_pod_has_its_name_address_volumes_variables_and_limits(engine: Cluster) -> None:
    await engine.create(CONFIG_MAPS, "words", data={"a.txt": "from a ConfigMap"})
    script = """
        test ! -e /etc/nsswitch.conf && grep -q app /etc/passwd || exit 9
        hostname; cat /words/a.txt; echo; echo "$LINES"; pwd
        echo mine > /own/file; cat /own/file; cat /proc/self/cgroup | wc -l | tr -d ' '
        echo rest > /dev/termination-log; head -n 1 /etc/hosts; exit 3"""
    volumes = [{"name": "words", "configMap": {"name": "words"}}, {"name": "own", "emptyDir": {}}]
    fields = {
        "env": [{"name": "LINES", "value": "one\ntwo"}],
        "workingDir": "/not/in/the/image",
        "volumeMounts": [{"name": "words", "mountPath": "/words"}, {"name": "own", "mountPath": "/own"}],
        "resources": {"limits": {"cpu": "500m", "memory": "64Mi"}},
        "securityContext": {"runAsUser": 0},
    }
    await engine.run(script, volumes=volumes, container_fields=fields)
    found = await engine.phase("Failed")
    lines = (await engine.logs()).splitlines()
    assert lines[:6] == ["p", "from a ConfigMap", "one", "two", "/not/in/the/image", "mine"]
    assert lines[-1].split() == [found["status"]["podIP"], "p"]
    assert (terminated(found)["exitCode"], terminated(found)["message"]) == (3, "rest\n")


async def test_commands_in_it_and_both_streams_of_it(engine: Cluster) -> None:
    await engine.run("echo out; echo err >&2; exec sleep 600")
    await _said(engine, "out")
    client = Client(b"abc")
    assert await _execute(engine, "sh", "-c", "echo in; id -u; exit 4", client=client) == 4
    assert client.out == b"in\n1000\n"
    terminal = Client()
    assert await _execute(engine, "tty", client=terminal, tty=True) == 0
    assert b"/dev/pts/" in terminal.out
    assert "err" in await engine.logs()
    hanging = asyncio.create_task(_execute(engine, "sleep", "601"))
    _, first = _pids(engine, uid_of(await engine.get()))
    await until(lambda: _has_sleeper(first))
    hanging.cancel()
    await until(lambda: not _has_sleeper(first))


def _has_sleeper(first: int) -> bool:
    """Whether a `sleep 601` is in the container of process ``first``."""
    namespace = Path(f"/proc/{first}/ns/pid").readlink()
    for entry in Path("/proc").iterdir():
        try:
            named = entry.name.isdecimal() and b"sleep\x00601" in (entry / "cmdline").read_bytes()
            if named and (entry / "ns/pid").readlink() == namespace:
                return True
        except OSError:
            continue  # it has just ended
    return False


async def test_pods_find_each_other_by_name_and_both_have_port_29500(engine: Cluster) -> None:
    await engine.client.create(SERVICES, service("job", {"job": "j"}), namespace="default")
    labels = {"labels": {"job": "j"}}
    await engine.run("echo hello | nc -l -p 29500", name="a", metadata=labels, hostname="a", subdomain="job")
    await engine.phase("Running", name="a")
    script = "nc -l -p 29500 & until nc a.job.default.svc.cluster.local 29500; do sleep 0.1; done"
    await engine.run(script, name="b", metadata=labels, hostname="b", subdomain="job")
    await _said(engine, "hello", name="b")


async def test_the_kernel_ends_what_is_over_its_memory(engine: Cluster) -> None:
    await engine.run("exec tail /dev/zero", container_fields={"resources": {"limits": {"memory": "32Mi"}}})
    found = terminated(await engine.phase("Failed"))
    assert (found["reason"], found["exitCode"]) == ("OOMKilled", 137)


async def test_a_command_that_is_not_there(engine: Cluster) -> None:
    await engine.run("", container_fields={"command": ["/nowhere"]})
    found = terminated(await engine.phase("Failed"))
    assert (found["reason"], found["exitCode"]) == ("StartError", 127)
    assert 'exec: "/nowhere"' in found["message"]


async def test_an_image_that_cannot_be_had(engine: Cluster) -> None:
    await engine.run("", container_fields={"image": "localhost:1/none:1"})

    def waiting(found: dict[str, object]) -> str:
        statuses = found.get("status", {}).get("containerStatuses") or [{}]  # type: ignore[attr-defined]
        return str(statuses[0].get("state", {}).get("waiting", {}).get("reason"))

    await engine.until(lambda found: waiting(found) == "ErrImagePull")
    await engine.until(lambda found: waiting(found) == "ImagePullBackOff")
    assert await engine.event("BackOff") == 'Back-off pulling image "localhost:1/none:1"'


async def test_a_stop_gives_it_time_and_no_more(engine: Cluster) -> None:
    await engine.run("trap 'echo bye; exit 5' TERM; echo ready; while true; do sleep 0.1; done", name="kind")
    await engine.run("trap '' TERM; echo ready; while true; do sleep 0.1; done", name="deaf")
    for name in ("kind", "deaf"):
        await _said(engine, "ready", name=name)
        await engine.client.delete(PODS, name, "default", grace_period_seconds=1)
    await engine.gone("kind")
    await engine.gone("deaf")


async def test_it_survives_its_agent_and_ends_with_its_supervisors(engine: Cluster) -> None:
    await engine.run("echo ready; exec sleep 600", metadata={"finalizers": ["test/keep"]})
    await _said(engine, "ready")
    shim, first = _pids(engine, uid_of(await engine.get()))
    await engine.lose_agent()
    await engine.restart_agent()
    assert await _execute(engine, "true") == 0
    keepers = Path(f"/proc/{shim}/task/{shim}/children").read_text().split()
    for pid in (shim, *map(int, keepers)):
        os.kill(pid, signal.SIGKILL)
    found = terminated(await engine.phase("Failed"))
    assert (found["reason"], found["exitCode"]) == ("ContainerStatusUnknown", 137)
    await until(lambda: not Path(f"/proc/{first}").exists())
