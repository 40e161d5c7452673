"""The scheduler at work on the API: bindings, refusals, and pods that find a node when one comes."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.conditions import find
from sidings.api.resources import CLAIMS, EVENTS, NODES, PODS
from sidings.host.control_plane import ControlPlane
from tests.controllers.pods import node, pod

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def add_node(plane: ControlPlane, name: str, **allocatable: str) -> None:
    made = node(name, **allocatable)
    await plane.client.create(NODES, {**made, "metadata": {"name": name}})
    moment = "2026-01-01T00:00:00Z"
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": moment, "lastTransitionTime": moment}
    status = made["status"] | {"conditions": [ready]}
    await plane.client.patch(NODES, name, {"status": status}, subresource="status")


async def add_pod(plane: ControlPlane, name: str, **requests: str) -> None:
    made = pod(name, requests={key.replace("gpu", "nvidia.com/gpu"): value for key, value in requests.items()})
    await plane.client.create(PODS, {**made, "metadata": {"name": name, "namespace": "default"}, "status": {}})


async def node_of(plane: ControlPlane, name: str) -> str:
    return str((await plane.client.get(PODS, name, "default"))["spec"].get("nodeName") or "")


async def test_pods_are_spread_and_an_event_says_so(plane: ControlPlane, until: Until) -> None:
    await add_node(plane, "n-0", gpu="1")
    await add_node(plane, "n-1", gpu="1")
    await add_pod(plane, "a", gpu="1")
    await add_pod(plane, "b", gpu="1")

    async def both_placed() -> bool:
        return {await node_of(plane, "a"), await node_of(plane, "b")} == {"n-0", "n-1"}

    await until(both_placed)
    events = (await plane.client.list(EVENTS, "default", field_selector="reason=Scheduled")).items
    assert {event["message"].split(" to ")[0] for event in events} == {
        "Successfully assigned default/a",
        "Successfully assigned default/b",
    }


async def test_a_pod_that_fits_nowhere_says_why_and_goes_when_room_comes(plane: ControlPlane, until: Until) -> None:
    await add_node(plane, "n-0", gpu="1")
    await add_pod(plane, "big", gpu="2")

    async def refused() -> bool:
        condition = find((await plane.client.get(PODS, "big", "default"))["status"].get("conditions"), "PodScheduled")
        return condition is not None and condition["reason"] == "Unschedulable"

    await until(refused)
    condition = find((await plane.client.get(PODS, "big", "default"))["status"]["conditions"], "PodScheduled")
    assert condition is not None
    assert "the pod requests 2; n-0 1 free of 1" in condition["message"]
    await add_node(plane, "n-1", gpu="2")

    async def placed() -> bool:
        return await node_of(plane, "big") == "n-1"

    await until(placed)


async def test_a_pod_waits_for_its_claim_and_takes_nothing_meanwhile(plane: ControlPlane, until: Until) -> None:
    await add_node(plane, "n-0", gpu="1")
    made = pod("mounts", requests={"nvidia.com/gpu": "1"})
    made["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    await plane.client.create(PODS, {**made, "metadata": {"name": "mounts", "namespace": "default"}, "status": {}})

    async def refused() -> bool:
        condition = find(
            (await plane.client.get(PODS, "mounts", "default"))["status"].get("conditions"), "PodScheduled"
        )
        return condition is not None and 'persistentvolumeclaim "data" not found' in condition["message"]

    await until(refused)
    await add_pod(plane, "other", gpu="1")

    async def other_placed() -> bool:
        return await node_of(plane, "other") == "n-0"

    await until(other_placed)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    await plane.client.create(CLAIMS, {"metadata": {"name": "data", "namespace": "default"}, "spec": spec})
    await plane.client.delete(PODS, "other", "default", grace_period_seconds=0)

    async def placed() -> bool:
        return await node_of(plane, "mounts") == "n-0"

    await until(placed)


async def test_a_finished_pod_makes_room(plane: ControlPlane, until: Until) -> None:
    await add_node(plane, "n-0", gpu="1")
    await add_pod(plane, "first", gpu="1")

    async def first_placed() -> bool:
        return bool(await node_of(plane, "first"))

    await until(first_placed)
    await add_pod(plane, "second", gpu="1")
    await plane.client.patch(
        PODS, "first", {"status": {"phase": "Succeeded"}}, namespace="default", subresource="status"
    )

    async def second_placed() -> bool:
        return await node_of(plane, "second") == "n-0"

    await until(second_placed)


async def test_a_pod_refused_before_its_neighbour_was_placed_follows_it(plane: ControlPlane, until: Until) -> None:
    await add_node(plane, "n-0")
    await plane.client.patch(NODES, "n-0", {"metadata": {"labels": {"rack": "r"}}})
    term = {"topologyKey": "rack", "labelSelector": {"matchLabels": {"app": "x"}}}
    follower = pod("a", affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    for made, labels in ((follower, {}), (pod("b"), {"app": "x"})):
        metadata = {"name": made["metadata"]["name"], "namespace": "default", "labels": labels}
        await plane.client.create(PODS, {**made, "metadata": metadata, "status": {}})

    async def both_placed() -> bool:
        return await node_of(plane, "a") == await node_of(plane, "b") == "n-0"

    await until(both_placed)
