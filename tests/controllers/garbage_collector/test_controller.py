"""Nothing outlives its owners: each propagation policy on real objects."""

import asyncio
import random
from collections.abc import Awaitable, Callable

import pytest

from sidings.api.catalog import builtin
from sidings.api.objects import Object, uid_of
from sidings.api.resources import CONFIG_MAPS, DATA_SCIENCE_CLUSTERS, LOCAL_QUEUES, NAMESPACES, SECRETS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.garbage_collector.controller import GarbageCollector
from sidings.host.control_plane import ControlPlane
from sidings.registry.registry import Registry
from sidings.store.store import Store

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


async def config_map(client: Client, name: str, *owners: Object) -> Object:
    references = [
        {
            "apiVersion": "v1",
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for owner in owners
    ]
    metadata = {"name": name, "namespace": "default", "ownerReferences": references}
    return await client.create(CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


async def exists(client: Client, name: str) -> bool:
    try:
        await client.get(CONFIG_MAPS, name, "default")
    except NotFound:
        return False
    return True


async def test_background_takes_the_whole_line(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    grandparent = await config_map(client, "grandparent")
    parent = await config_map(client, "parent", grandparent)
    await config_map(client, "child", parent)
    await client.delete(CONFIG_MAPS, "grandparent", "default")

    async def all_gone() -> bool:
        return not await exists(client, "parent") and not await exists(client, "child")

    await until(all_gone)


async def test_foreground_keeps_the_owner_until_its_dependents_are_gone(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    owner = await config_map(client, "owner")
    held = await config_map(client, "held", owner)
    finalizers = {"metadata": {"finalizers": ["example.com/hold"]}}
    await client.patch(CONFIG_MAPS, "held", finalizers, namespace="default")
    await client.delete(CONFIG_MAPS, "owner", "default", propagation_policy="Foreground")

    async def held_is_deleting() -> bool:
        return "deletionTimestamp" in (await client.get(CONFIG_MAPS, "held", "default"))["metadata"]

    await until(held_is_deleting)
    assert await exists(client, "owner")
    assert held["metadata"]["name"] == "held"
    await client.patch(CONFIG_MAPS, "held", {"metadata": {"finalizers": None}}, namespace="default")

    async def owner_is_gone() -> bool:
        return not await exists(client, "owner")

    await until(owner_is_gone)


async def test_orphan_leaves_dependents_without_their_owner(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    owner = await config_map(client, "owner")
    await config_map(client, "dependent", owner)
    await client.delete(CONFIG_MAPS, "owner", "default", propagation_policy="Orphan")

    async def owner_is_gone() -> bool:
        return not await exists(client, "owner")

    await until(owner_is_gone)
    assert "ownerReferences" not in (await client.get(CONFIG_MAPS, "dependent", "default"))["metadata"]


async def test_one_living_owner_is_enough(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    first, second = await config_map(client, "first"), await config_map(client, "second")
    await config_map(client, "shared", first, second)
    await client.delete(CONFIG_MAPS, "first", "default")

    async def stripped() -> bool:
        references = (await client.get(CONFIG_MAPS, "shared", "default"))["metadata"]["ownerReferences"]
        return [reference["name"] for reference in references] == ["second"]

    await until(stripped)


async def test_an_owner_of_the_same_name_but_another_uid_does_not_keep(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    old = await config_map(client, "owner")
    await client.delete(CONFIG_MAPS, "owner", "default")
    await config_map(client, "owner")
    await config_map(client, "late", old)

    async def gone() -> bool:
        return not await exists(client, "late")

    await until(gone)


async def test_owners_of_unknown_kinds_keep(plane: ControlPlane) -> None:
    client = plane.client
    stranger = {"kind": "Widget", "metadata": {"name": "w", "uid": "u"}}
    await config_map(client, "kept", stranger)
    await plane.clock.sleep(60)
    assert await exists(client, "kept")
    assert (await client.list(SECRETS, "default")).items == []


async def test_a_collector_that_has_just_started_does_not_let_an_owner_go_early() -> None:
    """Its graph is empty: it must not take that for an owner without dependents."""
    store = Store.in_memory()
    clock, rng = LoopClock(), random.Random(1)
    client = LocalClient(Registry(store, builtin(), clock, rng))
    await client.create(NAMESPACES, {"metadata": {"name": "default"}})
    owner = await config_map(client, "owner")
    await config_map(client, "held", owner)
    await client.patch(CONFIG_MAPS, "held", {"metadata": {"finalizers": ["example.com/hold"]}}, namespace="default")
    await client.delete(CONFIG_MAPS, "owner", "default", propagation_policy="Foreground")
    collector = GarbageCollector(client, clock, rng, [SECRETS, CONFIG_MAPS])
    collector.see(CONFIG_MAPS, await client.get(CONFIG_MAPS, "owner", "default"))
    await collector.reconcile(uid_of(owner))
    assert await exists(client, "owner")
    await client.patch(CONFIG_MAPS, "held", {"metadata": {"finalizers": None}}, namespace="default")
    await client.delete(CONFIG_MAPS, "held", "default")
    for node in collector.graph.dependents(uid_of(owner)):
        collector.lose(node.uid)
    await collector.reconcile(uid_of(owner))
    assert not await exists(client, "owner")


async def test_what_the_graph_has_not_seen_yet_is_waited_for_all_the_same() -> None:
    """Foreground goes down the line: nobody in it may go before a dependent of whom no event has told yet."""
    clock, rng = LoopClock(), random.Random(1)
    client = LocalClient(Registry(Store.in_memory(), builtin(), clock, rng))
    await client.create(NAMESPACES, {"metadata": {"name": "default"}})
    owner = await config_map(client, "owner")
    middle = await config_map(client, "middle", owner)
    await config_map(client, "late", middle)
    await client.delete(CONFIG_MAPS, "owner", "default", propagation_policy="Foreground")
    collector = GarbageCollector(client, clock, rng, [SECRETS, CONFIG_MAPS])
    for name in ("owner", "middle"):
        collector.see(CONFIG_MAPS, await client.get(CONFIG_MAPS, name, "default"))
    await collector.reconcile(uid_of(middle))
    metadata = (await client.get(CONFIG_MAPS, "middle", "default"))["metadata"]
    assert metadata["finalizers"] == ["foregroundDeletion"]


@pytest.mark.parametrize(
    ("owner", "api_version"),
    [
        (DATA_SCIENCE_CLUSTERS, "datasciencecluster.opendatahub.io/v1"),
        (LOCAL_QUEUES, "kueue.x-k8s.io/v1beta1"),
    ],
)
async def test_an_owner_named_in_another_version_is_the_same_object(
    plane: ControlPlane, until: Until, owner: Resource, api_version: str
) -> None:
    client = plane.client
    namespace = "default" if owner.namespaced else ""
    made = await client.create(owner, {"metadata": {"name": "owner"}}, namespace=namespace)
    reference = {"apiVersion": api_version, "kind": owner.kind, "name": "owner", "uid": uid_of(made)}
    metadata = {"name": "child", "namespace": "default", "ownerReferences": [reference]}
    await client.create(CONFIG_MAPS, {"metadata": metadata})
    await asyncio.sleep(5)
    assert await exists(client, "child")
    await client.delete(owner, "owner", namespace)

    async def gone() -> bool:
        return not await exists(client, "child")

    await until(gone)
