"""Exclusive placement: by admission and scheduler, and kept by the eviction of those who would break it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sidings.api import objects
from sidings.api.job.labels import COMPLETION_INDEX
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, JOB_SETS, NODES, PODS
from sidings.controllers.jobset import exclusive_pods
from sidings.host.control_plane import ControlPlane
from tests.controllers.jobset.cluster import NOW, group, make_jobset
from tests.controllers.pods import node, pod

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
RACK = "rack"


def member(name: str, index: int, domain: str = "", **fields: str) -> Object:
    made = pod(name, **fields)  # type: ignore[arg-type]
    made["metadata"] |= {
        "annotations": {labels.EXCLUSIVE_TOPOLOGY: RACK, COMPLETION_INDEX: str(index)},
        "labels": {labels.JOB_KEY: "k"},
    }
    if domain:
        made["spec"]["nodeSelector"] = {RACK: domain}
    return made


def test_followers_elsewhere_violate() -> None:
    leader = member("leader", 0)
    ended = member("ended", 2, "b", phase="Failed")
    pods = [leader, member("good", 1, "a"), member("bad", 1, "b"), member("lost", 2), ended]
    found = exclusive_pods.violators(leader, "a", pods)
    assert [objects.name_of(one) for one in found] == ["bad", "lost"]


def test_only_pods_of_exclusive_jobs_have_a_key() -> None:
    assert [key.name for key in exclusive_pods.keys_of_pod(member("p", 1))] == ["k"]
    other = member("p", 1)
    other["metadata"]["annotations"] |= {labels.NODE_SELECTOR: "true"}
    assert list(exclusive_pods.keys_of_pod(other)) == []
    assert list(exclusive_pods.keys_of_pod(pod())) == []


def test_an_eviction_is_told_on_the_pod() -> None:
    plan = exclusive_pods.eviction([member("bad", 1, "b")], NOW)
    assert [item.obj["metadata"]["name"] for item in plan.deletes] == ["bad"]
    assert plan.events[0].reason == "ExclusivePlacementViolation"


async def add_nodes(plane: ControlPlane) -> None:
    for name in ("a1", "a2", "b1", "b2"):
        made = node(name, labels={RACK: name[0]})
        await plane.client.create(NODES, {**made, "metadata": {"name": name, "labels": {RACK: name[0]}}})
        moment = "2026-01-01T00:00:00Z"
        ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": moment, "lastTransitionTime": moment}
        await plane.client.patch(
            NODES, name, {"status": made["status"] | {"conditions": [ready]}}, subresource="status"
        )


async def racks(plane: ControlPlane) -> dict[str, set[str]]:
    """The racks in which each Job has its two bound pods; Jobs that lack one are left out."""
    found: dict[str, list[str]] = {}
    for one in (await plane.client.list(PODS, "default")).items:
        host = one["spec"].get("nodeName")
        if host and not objects.is_deleting(one):
            found.setdefault(objects.labels_of(one)["job-name"], []).append(host[0])
    return {job: set(hosts) for job, hosts in found.items() if len(hosts) == 2}


@pytest.mark.looptime
async def test_each_job_has_a_rack_for_itself(plane: ControlPlane, until: Until) -> None:
    await add_nodes(plane)
    pair = group("w", 2)
    pair["template"]["spec"] |= {"parallelism": 2, "completions": 2, "backoffLimit": 6}
    jobset = make_jobset(pair, annotations={labels.EXCLUSIVE_TOPOLOGY: RACK})
    del jobset["metadata"]["uid"]
    jobset["metadata"]["namespace"] = "default"
    await plane.client.create(JOB_SETS, jobset, namespace="default")

    async def placed() -> bool:
        return len(await racks(plane)) == 2

    await until(placed)
    assert sorted(map(sorted, (await racks(plane)).values())) == [["a"], ["b"]]


@pytest.mark.looptime
async def test_a_violator_is_evicted(plane: ControlPlane, until: Until) -> None:
    await add_nodes(plane)
    for made, host in ((member("leader", 0), "a1"), (member("bad", 1, "b"), "b1")):
        made["metadata"] = {key: made["metadata"][key] for key in ("name", "namespace", "annotations", "labels")}
        await plane.client.create(PODS, {**made, "status": {}})
        target = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": made["metadata"]["name"]}}
        binding = target | {"target": {"kind": "Node", "name": host}}
        name = made["metadata"]["name"]
        current = await plane.client.get(PODS, name, "default")
        if not current["spec"].get("nodeName"):
            await plane.client.create(PODS, binding, namespace="default", name=name, subresource="binding")

    async def told() -> bool:
        events = await plane.client.list(EVENTS, "default", field_selector=f"reason={exclusive_pods.VIOLATION}")
        return len(events.items) == 1

    await until(told)
    await asyncio.sleep(0.1)
    bad = await plane.client.get(PODS, "bad", "default")
    assert objects.is_deleting(bad)
    assert any(one["reason"] == exclusive_pods.VIOLATION for one in bad["status"]["conditions"])
    assert not objects.is_deleting(await plane.client.get(PODS, "leader", "default"))
