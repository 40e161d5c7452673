"""The Job controller against a real registry, on virtual time, with a scripted kubelet."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import pytest

from sidings.api import conditions, objects
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, JOBS, NAMESPACES, PODS
from sidings.api.status import NotFound
from sidings.client.interface import Client
from tests.conformance.scripted_kubelet import ScriptedKubelet
from tests.conformance.world import world

pytestmark = pytest.mark.looptime


class Cluster(NamedTuple):
    client: Client
    kubelet: ScriptedKubelet

    async def create_job(self, **spec: Any) -> None:
        template = {"spec": {"containers": [{"name": "main", "image": "img:1"}], "restartPolicy": "Never"}}
        job = {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "j"},
            "spec": {"template": template, **spec},
        }
        await self.client.create(JOBS, job, namespace="ns")
        await settle()

    async def job(self) -> Object:
        return await self.client.get(JOBS, "j", "ns")

    async def pods(self) -> list[str]:
        """By index, then by age."""
        items = (await self.client.list(PODS, "ns")).items
        return [objects.name_of(pod) for pod in sorted(items, key=lambda pod: pod["metadata"]["generateName"])]

    async def act(self, action: str, *names: str, **options: Any) -> None:
        for name in names:
            await self.kubelet.act(name, action, options)
        await settle()


async def settle(seconds: float = 2) -> None:
    await asyncio.sleep(seconds)


@pytest.fixture
async def cluster() -> AsyncIterator[Cluster]:
    async with world() as (client, clock, _):
        await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
        kubelet = ScriptedKubelet(client, clock, "ns")
        terminating = asyncio.create_task(kubelet.terminate_deleted_pods())
        yield Cluster(client, kubelet)
        terminating.cancel()
        await asyncio.wait([terminating])


async def test_from_creation_to_completion(cluster: Cluster) -> None:
    await cluster.create_job(completionMode="Indexed", completions=2, parallelism=2)
    pods = await cluster.pods()
    assert [name[:4] for name in pods] == ["j-0-", "j-1-"]
    await cluster.act("ready", *pods)
    assert (await cluster.job())["status"]["ready"] == 2
    await cluster.act("succeed", *pods)
    job = await cluster.job()
    assert conditions.is_true(job, "Complete")
    assert job["status"]["completedIndexes"] == "0,1"
    finalizers = [(await cluster.client.get(PODS, name, "ns"))["metadata"].get("finalizers") for name in pods]
    assert finalizers == [None, None]
    reasons = {event["reason"] for event in (await cluster.client.list(EVENTS, "ns")).items}
    assert reasons == {"SuccessfulCreate", "Completed"}


async def test_a_failed_pod_is_replaced_after_ten_seconds(cluster: Cluster) -> None:
    await cluster.create_job(completions=1)
    await cluster.act("fail", *await cluster.pods())
    assert len(await cluster.pods()) == 1
    await settle(8.5)
    assert len(await cluster.pods()) == 2
    assert (await cluster.job())["status"]["failed"] == 1


async def test_failure_stops_the_siblings_first(cluster: Cluster) -> None:
    await cluster.create_job(completionMode="Indexed", completions=2, parallelism=2, backoffLimit=0)
    first, second = await cluster.pods()
    await cluster.act("ready", first, second)
    await cluster.act("fail", first)
    job = await cluster.job()
    assert conditions.is_true(job, "Failed")
    assert job["status"]["failed"] == 2
    assert await cluster.pods() == [first]


async def test_suspend_and_resume(cluster: Cluster) -> None:
    await cluster.create_job(completionMode="Indexed", completions=2, parallelism=2)
    first, second = await cluster.pods()
    await cluster.act("ready", first, second)
    await cluster.act("succeed", first)
    await cluster.client.patch(JOBS, "j", {"spec": {"suspend": True}}, namespace="ns")
    await settle()
    assert await cluster.pods() == [first]
    assert "failed" not in (await cluster.job())["status"]
    await cluster.client.patch(JOBS, "j", {"spec": {"suspend": False}}, namespace="ns")
    await settle()
    assert [name[:4] for name in await cluster.pods()] == ["j-0-", "j-1-"]


async def test_a_job_managed_by_somebody_else_is_left_alone(cluster: Cluster) -> None:
    await cluster.create_job(managedBy="acme.io/foo")
    assert await cluster.pods() == []
    assert (await cluster.job())["status"] == {}


async def test_pods_of_a_deleted_job_are_let_go(cluster: Cluster) -> None:
    await cluster.create_job(completions=1)
    await cluster.act("ready", *await cluster.pods())
    await cluster.client.delete(JOBS, "j", "ns", propagation_policy="Background")
    await settle()
    assert await cluster.pods() == []


async def test_a_new_job_of_the_same_name_leaves_the_old_ones_pods_alone_and_lets_them_go(cluster: Cluster) -> None:
    await cluster.create_job(completions=1)
    await cluster.act("ready", *await cluster.pods())
    (old,) = await cluster.pods()
    await cluster.client.delete(JOBS, "j", "ns", propagation_policy="Background")
    await cluster.create_job(completions=1)
    (new,) = await cluster.pods()
    assert new != old
    assert (await cluster.job())["status"]["active"] == 1


async def test_a_finished_job_deletes_itself(cluster: Cluster) -> None:
    await cluster.create_job(completions=1, ttlSecondsAfterFinished=30)
    await cluster.act("succeed", *await cluster.pods())
    await settle(20)
    assert await cluster.pods() != []
    await settle(15)
    assert await cluster.pods() == []
    with pytest.raises(NotFound):
        await cluster.job()


async def test_a_pod_that_vanishes_is_counted_once_and_replaced(cluster: Cluster) -> None:
    await cluster.create_job(completions=1)
    await cluster.act("ready", *await cluster.pods())
    (name,) = await cluster.pods()
    await cluster.client.delete(PODS, name, "ns", grace_period_seconds=0)
    await settle(15)
    assert (await cluster.job())["status"]["failed"] == 1
    assert len(await cluster.pods()) == 1


async def test_hundred_pods(cluster: Cluster) -> None:
    await cluster.create_job(completionMode="Indexed", completions=100, parallelism=100)
    pods = await cluster.pods()
    assert len(pods) == 100
    await cluster.act("succeed", *pods)
    assert (await cluster.job())["status"]["completedIndexes"] == "0-99"
