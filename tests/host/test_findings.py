"""Findings become events on the jobs: once each, errors and warnings only, and no answer is made of them."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sidings.answers import codes
from sidings.answers.family import FINDINGS_COMPONENT
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, LOCAL_QUEUES, NAMESPACES
from sidings.clock import LoopClock
from sidings.host import bootstrap, findings
from sidings.host.control_plane import ControlPlane
from sidings.store.store import Store
from tests.answers.situations.kubelet import Kubelet
from tests.answers.situations.world import World

pytestmark = pytest.mark.looptime


@pytest.fixture
async def world() -> AsyncIterator[World]:
    clock, store = LoopClock(), Store.in_memory()
    plane = ControlPlane(store, clock, random.Random(1), claims=Path("/claims"), ca="CA", tells_findings=True)
    await bootstrap.bootstrap(plane.client)
    kubelet = Kubelet(plane.client, clock, ())
    working = [asyncio.create_task(plane.run()), asyncio.create_task(kubelet.run())]
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    yield World(plane, kubelet, {})
    for task in working:
        task.cancel()
    await asyncio.wait(working)
    await store.close()


async def told(world: World) -> list[Object]:
    events = (await world.plane.client.list(EVENTS, "team")).items
    return [event for event in events if event.get("reportingComponent") == FINDINGS_COMPONENT]


async def test_a_finding_is_an_event_of_its_job_once(world: World) -> None:
    await world.play([{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 4}}, {"job": {"queue": "training", "cpu": 1}}])
    await world.settle(200)
    [event] = await told(world)
    assert (event["reason"], event["type"], event["count"]) == ("NoLocalQueue", "Warning", 1)
    assert event["involvedObject"]["kind"] == "Job"
    assert event["message"] == ('SDG-101: namespace "team" has no LocalQueue "training". Run: sidings why j -n team')
    # Answers are made without it.
    assert [found.code for found in (await world.why("j")).findings] == [codes.NO_LOCAL_QUEUE]


async def test_one_that_comes_again_is_told_again(world: World) -> None:
    await world.play(
        [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 1}}, {"local": {}}, {"job": {"queue": "lq", "cpu": 2}}]
    )
    [event] = await told(world)
    assert event["reason"] == "NeverEnough"
    for policy in ("Hold", "None"):
        body = {"spec": {"stopPolicy": policy}}
        await world.plane.client.patch(LOCAL_QUEUES, "lq", body, namespace="team")
        await world.settle(120)
    assert {event["reason"] for event in await told(world)} == {"NeverEnough", "LocalQueueStopped"}


async def test_who_waits_runs_or_ends_well_is_left_alone(world: World) -> None:
    steps = [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 2}}, {"local": {}}]
    await world.play([*steps, *({"job": {"name": name, "queue": "lq", "cpu": 2}} for name in ("first", "second"))])
    await world.settle(100)
    await world.do_finish("first")
    await world.settle(100)
    assert await told(world) == []


async def test_what_fails_on_the_nodes_is_told_of_the_outermost_job(world: World) -> None:
    await world.play([{"node": {}}, {"trainjob": {"cpu": 6}}])
    await world.settle(20)
    [event] = await told(world)
    assert (event["involvedObject"]["kind"], event["reason"]) == ("TrainJob", "FitsNoNode")


def test_changes_that_tell_nothing_are_no_keys() -> None:
    pod = {"metadata": {"name": "p", "namespace": "n", "labels": {"job-name": "j"}}, "status": {"phase": "Running"}}
    assert not list(findings.of_pod(pod))
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "n"}, "spec": {}}
    assert list(findings.of_root(job)) == [("n", "j")]
    assert not list(findings.of_root({**job, "status": {"conditions": [{"type": "Complete", "status": "True"}]}}))
