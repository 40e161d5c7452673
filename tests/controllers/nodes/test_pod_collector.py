"""Pods of a node that is gone are failed and removed, after a while."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.resources import NODES, PODS
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane
from tests.controllers.pods import pod

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def test_left_alone_at_first_then_removed(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    made = pod("stray", node="gone")
    metadata = {"name": "stray", "namespace": "default", "finalizers": ["example.com/look"]}
    await client.create(PODS, {**made, "metadata": metadata, "status": {}})
    await plane.clock.sleep(30)
    assert (await client.get(PODS, "stray", "default"))["status"]["phase"] == "Pending"

    async def failed() -> bool:
        status = (await client.get(PODS, "stray", "default"))["status"]
        return bool(status["phase"] == "Failed" and status["conditions"][-1]["reason"] == "DeletionByPodGC")

    await until(failed)
    await client.patch(PODS, "stray", {"metadata": {"finalizers": None}}, namespace="default")

    async def gone() -> bool:
        try:
            await client.get(PODS, "stray", "default")
        except NotFound:
            return True
        return False

    await until(gone)


async def test_a_pod_deleted_before_it_had_a_node_ends(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    metadata = {"name": "early", "namespace": "default", "finalizers": ["example.com/look"]}
    await client.create(PODS, {**pod("early"), "metadata": metadata, "status": {}})
    await client.delete(PODS, "early", "default")

    async def failed() -> bool:
        status = (await client.get(PODS, "early", "default"))["status"]
        return bool(status["phase"] == "Failed")

    await until(failed)


async def test_pods_of_a_node_that_goes_follow_it(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    await client.create(NODES, {"metadata": {"name": "n"}})
    made = pod("follows", node="n")
    await client.create(PODS, {**made, "metadata": {"name": "follows", "namespace": "default"}, "status": {}})
    await plane.clock.sleep(60)
    assert (await client.get(PODS, "follows", "default"))["status"]["phase"] == "Pending"
    await client.delete(NODES, "n")

    async def gone() -> bool:
        return not (await client.list(PODS, "default")).items

    await until(gone)
