"""No false alarm: of jobs that are well ``why`` finds nothing above a note, at any moment of their lives.

Seven ways to live, each for 16 jobs: four kinds, with and without a queue, alone and as a gang.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

from sidings.answers import standing, suspension
from sidings.answers.finding import Severity
from sidings.answers.state import State
from sidings.answers.why import chain
from sidings.api.objects import Object, controller_of, name_of
from sidings.api.resources import PODS
from sidings.cli import jobs
from sidings.host import surroundings
from tests import control_planes
from tests.answers.situations import builders
from tests.answers.situations.builders import NAMESPACE
from tests.answers.situations.kubelet import Kubelet
from tests.answers.situations.world import World

pytestmark = pytest.mark.looptime

JOBS = {
    f"{kind}/{kind}-{queue or 'free'}-{pods}": (kind, queue, pods)
    for kind in ("job", "jobset", "trainjob", "pytorchjob")
    for queue in ("", "lq")
    for pods in (1, 3)
}
RETRIES: dict[str, Object] = {
    "job": {"spec": {"backoffLimit": 6}},
    "jobset": {"job": {"backoffLimit": 6}},
    "pytorchjob": {"restart": "OnFailure"},
}
SAMPLE_SECONDS = 3.0


@pytest.fixture
async def world() -> AsyncIterator[World]:
    async for plane in control_planes.running():
        kubelet = Kubelet(plane.client, plane.clock, ())
        playing = asyncio.create_task(kubelet.run())
        made = World(plane, kubelet, {})
        await made.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
        yield made
        playing.cancel()
        await asyncio.wait([playing])


async def begin(world: World, cpu: int = 100, **spec: Any) -> None:
    """All jobs, in a queue of so many CPUs."""
    await world.play([{"node": {"cpu": 100}}, {"flavor": {}}, {"queue": {"cpu": cpu, "spec": spec}}, {"local": {}}])
    for reference, (kind, queue, pods) in JOBS.items():
        given = {"name": reference.partition("/")[2], "cpu": 1, "pods": pods, "workers": pods, **RETRIES.get(kind, {})}
        await world.create(builders.made(kind, given | ({"queue": queue} if queue else {})))


async def watched(world: World, seconds: float) -> set[str]:
    """Asks about every job again and again; the states that they are in at last."""
    states: set[str] = set()
    for _ in range(int(seconds / SAMPLE_SECONDS)):
        await world.settle(SAMPLE_SECONDS)
        around = await surroundings.read(world.plane.client, world.plane.clock, NAMESPACE, "")
        stood = standing.of(around)
        answers = [chain.answer(f, around, stood) for f in await jobs.all_families(world.plane.client, NAMESPACE)]
        for answer in answers:
            assert [found for found in answer.findings if found.severity is not Severity.NOTE] == [], answer
        states = {answer.state for answer in answers}
        assert len(answers) >= len(JOBS)
    return states


async def running(world: World) -> list[Object]:
    pods = (await world.plane.client.list(PODS, NAMESPACE)).items
    return [pod for pod in pods if (pod.get("status") or {}).get("phase") == "Running"]


async def report(world: World, pod: Object, **status: Any) -> None:
    await world.plane.client.patch(PODS, name_of(pod), {"status": status}, namespace=NAMESPACE, subresource="status")


async def first_of_each(world: World) -> list[Object]:
    """One running pod of every job."""
    firsts: dict[str, Object] = {}
    for pod in await running(world):
        owner = controller_of(pod)
        assert owner is not None
        firsts.setdefault(owner["uid"], pod)
    return list(firsts.values())


async def end(world: World) -> None:
    """All pods succeed, until no job is left."""
    states: set[str] = set()
    for _ in range(20):
        for pod in await running(world):
            await report(world, pod, phase="Succeeded", containerStatuses=[])
        states = await watched(world, 6)
        if states == {State.SUCCEEDED}:
            break
    assert states == {State.SUCCEEDED}


async def plainly(world: World) -> None:
    await begin(world)
    await watched(world, 15)


async def one_after_the_other(world: World) -> None:
    await begin(world, cpu=4)
    await watched(world, 15)


async def with_a_slow_start(world: World) -> None:
    world.kubelet.is_dead = True
    await begin(world)
    await watched(world, 24)
    world.kubelet.is_dead = False
    await world.kubelet.again(NAMESPACE)
    await watched(world, 6)


async def suspended_by_their_user(world: World) -> None:
    await begin(world)
    await watched(world, 6)
    for suspend in (True, False):
        for reference, (_, queue, _) in JOBS.items():
            [(resource, name)] = jobs.split_reference([reference])
            assert resource is not None
            family = await jobs.find(world.plane.client, resource, name, NAMESPACE)
            if not queue:
                await world.plane.client.patch(
                    resource, name, suspension.change(family.root, suspend), namespace=NAMESPACE
                )
        await watched(world, 24)


async def with_containers_started_again(world: World) -> None:
    await begin(world)
    await watched(world, 6)
    moment = "2026-01-01T00:00:20Z"
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": moment, "finishedAt": moment}}
    for state in ({"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 10s"}}, {"running": {}}):
        for pod in await first_of_each(world):
            status = pod["status"]["containerStatuses"][0] | {"restartCount": 1, "lastState": ended, "state": state}
            await report(world, pod, containerStatuses=[status])
        await watched(world, 12)


async def with_pods_drained(world: World) -> None:
    await begin(world)
    await watched(world, 6)
    for pod in await first_of_each(world):
        await world.plane.client.delete(PODS, name_of(pod), NAMESPACE)
    await watched(world, 45)


async def preempted(world: World) -> None:
    await world.create(
        {
            "apiVersion": "kueue.x-k8s.io/v1beta2",
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": "high"},
            "value": 9,
        }
    )
    await begin(world, cpu=20, preemption={"withinClusterQueue": "LowerPriority"})
    await watched(world, 6)
    urgent = {"name": "urgent", "cpu": 20, "queue": "lq", "labels": {"kueue.x-k8s.io/priority-class": "high"}}
    await world.create(builders.made("job", urgent))
    await watched(world, 30)


LIVES: tuple[Callable[[World], Awaitable[None]], ...] = (
    plainly,
    one_after_the_other,
    with_a_slow_start,
    suspended_by_their_user,
    with_containers_started_again,
    with_pods_drained,
    preempted,
)


@pytest.mark.parametrize("live", LIVES, ids=lambda live: live.__name__)
async def test_nothing_above_a_note_at_any_moment(live: Callable[[World], Awaitable[None]], world: World) -> None:
    await live(world)
    await end(world)


def test_these_are_more_than_100_runs() -> None:
    assert len(LIVES) * len(JOBS) >= 100
