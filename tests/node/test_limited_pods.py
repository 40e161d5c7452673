"""Limits of real pods, as their API objects show them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.api.conditions import find
from sidings.api.resources import NODES
from sidings.node.logical_node import NodeConfig
from sidings.node.sandbox.client import read_status
from tests.node import clusters
from tests.node.clusters import Cluster, terminated
from tests.node.waiting import until


@pytest.fixture
async def measured(state_dir: Path) -> AsyncIterator[Cluster]:
    async for made in clusters.opened(state_dir, NodeConfig(storage_check_seconds=0.1)):
        yield made


async def test_a_pod_over_its_memory_is_oom_killed(cluster: Cluster) -> None:
    script = "exec python3 -c 'import time; hold = bytearray(200 << 20); time.sleep(60)'"
    await cluster.run(script, container_fields={"resources": {"limits": {"memory": "64Mi"}}})
    ended = terminated(await cluster.phase("Failed"))
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


async def test_how_limits_are_kept_is_on_the_node(cluster: Cluster) -> None:
    [node, _] = (await cluster.client.list(NODES)).items
    condition = find(node["status"]["conditions"], "sidings.dev/ResourceEnforcement")
    assert condition is not None
    assert (condition["status"], condition["reason"]) in {
        ("True", "CgroupsV1"),
        ("True", "CgroupsV2"),
        ("False", "Polled"),
    }


async def test_a_pod_that_fills_its_empty_dir_is_evicted(measured: Cluster) -> None:
    volumes = [{"name": "v", "emptyDir": {"sizeLimit": "1Mi"}}]
    mounts = {"volumeMounts": [{"name": "v", "mountPath": "/v"}]}
    script = "head -c 3000000 /dev/zero > /v/x; sleep 60"
    await measured.run(script, restartPolicy="Always", volumes=volumes, container_fields=mounts)
    found = await measured.phase("Failed")
    message = 'Usage of EmptyDir volume "v" exceeds the limit "1Mi". '
    assert (found["status"]["reason"], found["status"]["message"]) == ("Evicted", message)
    assert await measured.event("Evicted") == message


async def test_groups_of_a_supervisor_that_was_killed_go_with_its_pod(cluster: Cluster) -> None:
    await cluster.run("echo up; sleep 60")
    await cluster.phase("Running")
    notes = cluster.directory / "cgroups.json"
    if not notes.exists():
        pytest.skip("this machine keeps no limits by control groups")
    parents = [Path(parent) for parent in json.loads(notes.read_text())]
    uid = (await cluster.get())["metadata"]["uid"]
    assert all(list(parent.glob(f"{uid}_c")) for parent in parents)
    status = read_status(cluster.directory / "pods" / uid)
    assert status is not None
    os.kill(status.pid, signal.SIGKILL)
    await cluster.phase("Failed")
    await until(lambda: not any(list(parent.glob(f"{uid}_c")) for parent in parents))
