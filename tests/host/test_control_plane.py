"""The whole control plane in memory, on virtual time: what it makes of a job without a node and with one."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, JOBS, NAMESPACES, NODES, PODS, SERVICE_ACCOUNTS, TRAIN_JOBS
from sidings.clock import LoopClock
from sidings.host import bootstrap
from sidings.host.control_plane import ControlPlane
from tests import control_planes

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

TRAIN_JOB = {
    "apiVersion": "trainer.kubeflow.org/v1alpha1",
    "kind": "TrainJob",
    "metadata": {"name": "tj", "namespace": "default"},
    "spec": {"runtimeRef": {"name": "torch-distributed"}, "trainer": {"numNodes": 2, "command": ["torchrun", "x.py"]}},
}


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


async def until(met: Callable[[], Awaitable[bool]]) -> None:
    """Virtual seconds pass until ``met``; nothing waits in real time."""
    async with asyncio.timeout(60):
        while not await met():
            await LoopClock().sleep(0.1)


async def test_a_fresh_control_plane_has_namespaces_accounts_and_runtimes(plane: ControlPlane) -> None:
    client = plane.client
    names = [namespace["metadata"]["name"] for namespace in (await client.list(NAMESPACES)).items]
    assert names == ["default", "kube-node-lease", "kube-public", "kube-system", "kubeflow-system"]
    runtimes = [runtime["metadata"]["name"] for runtime in (await client.list(CLUSTER_TRAINING_RUNTIMES)).items]
    assert "torch-distributed" in runtimes

    async def every_namespace_has_its_account() -> bool:
        return len((await client.list(SERVICE_ACCOUNTS)).items) == len(names)

    await until(every_namespace_has_its_account)


async def test_a_train_job_becomes_pods_that_wait_for_a_node(plane: ControlPlane) -> None:
    await plane.client.create(TRAIN_JOBS, TRAIN_JOB)

    async def both_are_refused_by_the_scheduler() -> bool:
        pods = (await plane.client.list(PODS, "default")).items
        return len(pods) == 2 and all(pod["status"].get("conditions") for pod in pods)

    await until(both_are_refused_by_the_scheduler)
    [pod, _] = (await plane.client.list(PODS, "default")).items
    assert pod["status"]["conditions"][0]["reason"] == "Unschedulable"


async def test_pods_are_bound_to_a_node_that_has_room(plane: ControlPlane) -> None:
    await plane.client.create(NODES, node())
    await plane.client.create(TRAIN_JOBS, TRAIN_JOB)

    async def both_are_bound() -> bool:
        pods = (await plane.client.list(PODS, "default")).items
        return [pod["spec"].get("nodeName") for pod in pods] == ["node-1", "node-1"]

    await until(both_are_bound)


async def test_deleting_the_job_deletes_all_that_was_made_for_it(plane: ControlPlane) -> None:
    await plane.client.create(TRAIN_JOBS, TRAIN_JOB)

    async def there_are(count: int) -> bool:
        return len((await plane.client.list(PODS, "default")).items) == count

    await until(lambda: there_are(2))
    await plane.client.delete(TRAIN_JOBS, "tj", "default", propagation_policy="Foreground")
    await until(lambda: there_are(0))
    assert (await plane.client.list(JOBS, "default")).items == []


async def test_nodes_of_an_earlier_engine_go_and_a_users_own_stay(plane: ControlPlane) -> None:
    await plane.client.create(NODES, node("node-1", ours=True))
    await plane.client.create(NODES, node("node-2", ours=True))
    await plane.client.create(NODES, node("pretended"))
    await bootstrap.retire_nodes(plane.client, {"node-1"})
    assert [n["metadata"]["name"] for n in (await plane.client.list(NODES)).items] == ["node-1", "pretended"]


def node(name: str = "node-1", *, ours: bool = False) -> Object:
    resources = {"cpu": "8", "memory": "64Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "annotations": {"sidings.dev/python-prefix": "/venv"} if ours else {}},
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "conditions": [{"type": "Ready", "status": "True", "lastHeartbeatTime": "2026-01-01T00:00:00Z"}],
        },
    }
