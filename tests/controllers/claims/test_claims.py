"""A claim's life: bound at once, kept while in use, gone with its volume."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.objects import Key, Object
from sidings.api.resources import CLAIMS, EVENTS, PODS, VOLUMES
from sidings.api.status import NotFound
from sidings.controllers.claims.protection import in_use
from sidings.host.control_plane import ControlPlane
from tests.controllers.pods import pod

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


def claim(name: str = "data", **spec: str) -> Object:
    wanted = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, **spec}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": wanted,
    }


def user(name: str, phase: str = "", node: str = "n") -> Object:
    return pod(name, phase=phase, node=node, volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}])


@pytest.mark.parametrize(
    ("pods", "used"),
    [
        ([user("a")], True),
        ([user("a", phase="Running")], True),
        ([user("a", phase="Succeeded")], False),
        ([user("a", node="")], False),
        ([pod("other", node="n")], False),
    ],
)
def test_in_use(pods: list[Object], used: bool) -> None:
    assert in_use(Key("default", "data"), pods) is used


@pytest.mark.looptime
async def test_bound_at_once_and_gone_with_its_volume(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    made = await client.create(CLAIMS, claim(storageClassName="fast"))

    async def bound() -> bool:
        return bool((await client.get(CLAIMS, "data", "default"))["status"].get("phase") == "Bound")

    await until(bound)
    live = await client.get(CLAIMS, "data", "default")
    volume = await client.get(VOLUMES, live["spec"]["volumeName"])
    assert live["status"]["capacity"] == {"storage": "1Gi"}
    assert volume["spec"]["hostPath"]["path"] == f"/claims/default_data_{made['metadata']['uid']}"
    assert volume["spec"]["claimRef"]["uid"] == made["metadata"]["uid"]
    await client.delete(CLAIMS, "data", "default")

    async def gone() -> bool:
        return not (await client.list(VOLUMES)).items and not (await client.list(CLAIMS, "default")).items

    await until(gone)


@pytest.mark.looptime
async def test_kept_while_a_pod_uses_it(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    await client.create(CLAIMS, claim())
    using = user("u", node="n-elsewhere")
    await client.create(PODS, {**using, "metadata": {"name": "u", "namespace": "default"}, "status": {}})
    await client.delete(CLAIMS, "data", "default")
    await plane.clock.sleep(10)
    assert "deletionTimestamp" in (await client.get(CLAIMS, "data", "default"))["metadata"]
    await client.patch(PODS, "u", {"status": {"phase": "Succeeded"}}, namespace="default", subresource="status")

    async def gone() -> bool:
        try:
            await client.get(CLAIMS, "data", "default")
        except NotFound:
            return True
        return False

    await until(gone)


@pytest.mark.looptime
async def test_block_devices_are_refused_in_words(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CLAIMS, claim(volumeMode="Block"))

    async def said() -> bool:
        events = (await plane.client.list(EVENTS, "default")).items
        return any(event["reason"] == "ProvisioningFailed" for event in events)

    await until(said)
    assert (await plane.client.list(VOLUMES)).items == []
