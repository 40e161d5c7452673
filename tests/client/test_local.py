"""The client in process, on a real registry."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from sidings.api import catalog
from sidings.api.objects import Object, copy_of
from sidings.api.pods import LogOptions
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, PODS, Resource
from sidings.api.status import BadRequest, Conflict, NotFound
from sidings.client.interface import Client, PatchType
from sidings.client.local import LocalClient
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.store.store import Store


class Logs:
    """Pods that have written one line."""

    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        yield f"{pod['metadata']['name']}/{options.container}\n".encode()


@pytest.fixture
async def client() -> Client:
    registry = Registry(Store.in_memory(), catalog.builtin(), ManualClock(), random.Random(1))
    client: Client = LocalClient(registry, Logs())
    await client.create(NAMESPACES, {"metadata": {"name": "default"}})
    return client


def config_map(name: str = "c", **data: str) -> Object:
    return {"metadata": {"name": name, "namespace": "default"}, "data": data}


async def test_create_get_update_patch_delete(client: Client) -> None:
    created = await client.create(CONFIG_MAPS, config_map(a="1"), field_manager="m")
    assert created["metadata"]["managedFields"][0]["manager"] == "m"
    assert await client.get(CONFIG_MAPS, "c", "default") == created
    changed = copy_of(created)
    changed["data"]["a"] = "2"
    updated = await client.update(CONFIG_MAPS, changed, field_manager="m")
    with pytest.raises(Conflict):
        await client.update(CONFIG_MAPS, {**changed, "data": {"a": "3"}})
    patched = await client.patch(CONFIG_MAPS, "c", {"data": {"b": "1"}}, namespace="default")
    assert patched["data"] == {**updated["data"], "b": "1"}
    with pytest.raises(Conflict):
        await client.delete(CONFIG_MAPS, "c", "default", uid="other")
    assert (await client.delete(CONFIG_MAPS, "c", "default"))["status"] == "Success"
    with pytest.raises(NotFound):
        await client.get(CONFIG_MAPS, "c", "default")


def owned(name: str, owner: str) -> Object:
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": owner, "uid": "u", "controller": True}
    return {"metadata": {"name": name, "namespace": "default", "ownerReferences": [reference]}}


async def test_dependents_of_an_owner_and_of_nobody(client: Client) -> None:
    for obj in (owned("b", "j"), owned("a", "j"), owned("c", "k"), config_map("d")):
        await client.create(CONFIG_MAPS, obj)
    of_j = await client.dependents(CONFIG_MAPS, "default", owner_kind="ConfigMap", owner_name="j")
    assert [obj["metadata"]["name"] for obj in of_j] == ["a", "b"]
    of_nobody = await client.dependents(CONFIG_MAPS, "default")
    assert [obj["metadata"]["name"] for obj in of_nobody] == ["d"]


async def test_a_list_is_paged(client: Client) -> None:
    for name in "abc":
        await client.create(CONFIG_MAPS, config_map(name))
    first = await client.list(CONFIG_MAPS, "default", limit=2)
    assert [obj["metadata"]["name"] for obj in first.items] == ["a", "b"]
    assert first.remaining == 1
    rest = await client.list(CONFIG_MAPS, "default", limit=2, continue_=first.continue_)
    assert [obj["metadata"]["name"] for obj in rest.items] == ["c"]
    assert rest.resource_version == first.resource_version


async def test_a_watch_goes_on_from_a_list(client: Client) -> None:
    await client.create(CONFIG_MAPS, config_map("a"))
    seen = await client.list(CONFIG_MAPS)
    await client.create(CONFIG_MAPS, config_map("b"))
    events = client.watch(CONFIG_MAPS, resource_version=seen.resource_version)
    event = await anext(events)
    assert (event.type, event.object["metadata"]["name"]) == ("ADDED", "b")
    pending = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    await client.delete(CONFIG_MAPS, "a", "default")
    event = await pending
    assert (event.type, event.object["metadata"]["name"]) == ("DELETED", "a")


async def test_apply_and_subresources(client: Client) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": "1"}}
    applied = await client.patch(
        CONFIG_MAPS, "c", body, namespace="default", patch_type=PatchType.APPLY, field_manager="m", force=True
    )
    assert applied["data"] == {"a": "1"}
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    await client.create(PODS, pod, namespace="default")
    target = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    await client.create(PODS, target, namespace="default", name="p", subresource="binding")
    assert (await client.get(PODS, "p", "default"))["spec"]["nodeName"] == "n"


async def test_logs_come_from_whoever_runs_pods(client: Client) -> None:
    pod = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    await client.create(PODS, pod, namespace="default")
    lines = [chunk async for chunk in client.logs("p", "default", LogOptions("c"))]
    assert lines == [b"p/c\n"]
    with pytest.raises(NotFound):
        await anext(client.logs("missing", "default", LogOptions("c")))
    alone = LocalClient(Registry(Store.in_memory(), catalog.builtin(), ManualClock(), random.Random(1)))
    await alone.create(NAMESPACES, {"metadata": {"name": "default"}})
    await alone.create(PODS, pod, namespace="default")
    with pytest.raises(BadRequest, match="nobody runs pods here"):
        await anext(alone.logs("p", "default", LogOptions("c")))


async def test_what_is_not_served_is_not_found(client: Client) -> None:
    with pytest.raises(NotFound, match="the server could not find the requested resource"):
        await client.list(Resource("x.io", "v1", "things", "Thing"))
