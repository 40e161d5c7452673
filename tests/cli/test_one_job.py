"""One job among others: the same family as by reading everything, and nothing read that does not matter."""

from __future__ import annotations

from typing import Any

import pytest

from sidings.answers.family import Family
from sidings.answers.why import chain
from sidings.api.objects import labels_of, name_of
from sidings.cli import jobs, one_job
from sidings.cli.errors import JobNotFound
from sidings.host import surroundings
from tests.host.test_findings import World, world

__all__ = ["world"]
pytestmark = pytest.mark.looptime
KINDS = ("job", "jobset", "trainjob", "pytorchjob")
OWN_SELECTOR: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {"name": "own"},
    "spec": {
        "manualSelector": True,
        "selector": {"matchLabels": {"app": "own"}},
        "template": {
            "metadata": {"labels": {"app": "own"}},
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox"}]},
        },
    },
}
"""Its pods have its own labels, and none by which pods of a Job are known."""


async def make_busy(world: World) -> None:
    """A job of every kind in a queue, that runs; Jobs that wait for quota, never get it, and find no node.

    No fixture, since only tests are on virtual time.
    """
    steps: list[dict[str, Any]] = [{"node": {}}, {"flavor": {}}, {"queue": {"cpu": 8}}, {"local": {}}]
    steps += [{kind: {"name": f"a-{kind}", "queue": "lq", "cpu": "100m", "workers": 1}} for kind in KINDS]
    steps += [{"job": {"name": "waits", "queue": "lq", "cpu": 8}}, {"job": {"name": "never", "queue": "lq", "cpu": 9}}]
    await world.play([*steps, {"job": {"name": "large", "cpu": 6}}, OWN_SELECTOR])


def facts(family: Family) -> tuple[object, ...]:
    workload = name_of(family.workload) if family.workload else ""
    return family.kind, [name_of(member) for member in family.members], workload, len(family.events)


@pytest.mark.parametrize("name", [*(f"a-{kind}" for kind in KINDS), "waits", "never", "large", "own"])
async def test_the_family_is_the_same(world: World, name: str) -> None:
    await make_busy(world)
    client = world.plane.client
    assert facts(await one_job.find(client, None, name, "team")) == facts(await jobs.find(client, None, name, "team"))


@pytest.mark.parametrize("name", [*(f"a-{kind}" for kind in KINDS), "waits", "never", "large", "own"])
async def test_the_answer_is_the_same(world: World, name: str) -> None:
    await make_busy(world)
    client, clock = world.plane.client, world.plane.clock
    family = await jobs.find(client, None, name, "team")
    around = await surroundings.read(client, clock, "team", "")
    assert await one_job.answer(client, clock, family, "team", "") == chain.answer(family, around)


async def test_pods_of_a_job_with_a_selector_of_its_own_are_found(world: World) -> None:
    await make_busy(world)
    family = await one_job.find(world.plane.client, None, "own", "team")
    assert [labels_of(pod) for pod in family.pods] == [{"app": "own"}]


async def test_what_is_not_there_is_told_with_what_is_near(world: World) -> None:
    await make_busy(world)
    with pytest.raises(JobNotFound) as told:
        await one_job.find(world.plane.client, None, "wait", "team")
    assert 'did you mean "waits"' in str(told.value.remedy)
