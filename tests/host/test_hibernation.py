import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.api.objects import Object, controller_ref, name_of
from sidings.api.resources import JOB_SETS, WORKLOADS
from sidings.client.interface import Client
from sidings.clock import ManualClock
from sidings.host import bootstrap, hibernation
from sidings.host.control_plane import ControlPlane
from sidings.store.store import Store


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    """Objects without controllers."""
    store = Store.in_memory()
    plane = ControlPlane(store, ManualClock(), random.Random(1), claims=Path("/claims"), ca="CA")
    await bootstrap.bootstrap(plane.client)
    yield plane.client
    await store.close()


def job_set(name: str, *, suspend: bool = False) -> Object:
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "python"}]}
    part = {"name": "main", "template": {"spec": {"template": {"spec": pod}}}}
    return {
        "apiVersion": JOB_SETS.api_version,
        "kind": JOB_SETS.kind,
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"suspend": suspend, "replicatedJobs": [part]},
    }


async def test_only_what_was_put_to_sleep_wakes(client: Client) -> None:
    running = await client.create(JOB_SETS, job_set("running"))
    await client.create(JOB_SETS, job_set("paused-by-its-user", suspend=True))
    await hibernation.put_to_sleep(client, JOB_SETS, running)
    assert (await client.get(JOB_SETS, "running", "default"))["spec"]["suspend"] is True

    assert [name_of(root) for root in await hibernation.wake(client)] == ["running"]
    awake = await client.get(JOB_SETS, "running", "default")
    assert awake["spec"]["suspend"] is False
    assert hibernation.ANNOTATION not in (awake["metadata"].get("annotations") or {})
    assert (await client.get(JOB_SETS, "paused-by-its-user", "default"))["spec"]["suspend"] is True


async def test_a_job_wakes_once(client: Client) -> None:
    running = await client.create(JOB_SETS, job_set("running"))
    await hibernation.put_to_sleep(client, JOB_SETS, running)
    await hibernation.wake(client)
    assert await hibernation.wake(client) == []


async def test_a_job_that_a_queue_holds_sleeps_by_its_workload(client: Client) -> None:
    """Its own field is the queue's, which would start it again."""
    running = await client.create(JOB_SETS, job_set("running"))
    queued = {
        "metadata": {"name": "w", "ownerReferences": [controller_ref({**running, "kind": JOB_SETS.kind})]},
        "spec": {"queueName": "lq", "podSets": [{"count": 1, "template": {"spec": {"containers": []}}}]},
    }
    workload = await client.create(WORKLOADS, queued, namespace="default")
    await hibernation.put_to_sleep(client, JOB_SETS, running, workload)
    assert (await client.get(JOB_SETS, "running", "default"))["spec"]["suspend"] is False
    assert (await client.get(WORKLOADS, "w", "default"))["spec"]["active"] is False

    assert [name_of(root) for root in await hibernation.wake(client)] == ["running"]
    assert (await client.get(WORKLOADS, "w", "default"))["spec"]["active"] is True
    assert await hibernation.wake(client) == []
