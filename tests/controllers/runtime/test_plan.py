import asyncio
import inspect
import random
from collections.abc import AsyncIterator

import pytest

from sidings.api.catalog import builtin
from sidings.api.objects import Object, name_of
from sidings.api.resources import CONFIG_MAPS, NAMESPACES
from sidings.api.status import AlreadyExists, Conflict
from sidings.client.interface import PatchType
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.controllers.runtime.plan import Create, Delete, Patch, Plan, Update, carry_out, together
from sidings.registry.registry import Registry
from sidings.store.store import Store

pytestmark = pytest.mark.looptime


@pytest.fixture
async def client() -> AsyncIterator[LocalClient]:
    store = Store.in_memory()
    made = LocalClient(Registry(store, builtin(), LoopClock(), random.Random(1)))
    await made.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
    yield made
    await store.close()


def config_map(name: str, **data: str) -> Object:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ns"}, "data": data}


async def names(client: LocalClient) -> list[str]:
    return [name_of(item) for item in (await client.list(CONFIG_MAPS, "ns")).items]


async def test_deletes_come_before_creates_so_that_a_name_can_be_taken_over(client: LocalClient) -> None:
    old = await client.create(CONFIG_MAPS, config_map("x", v="old"), namespace="ns")
    plan = Plan(deletes=[Delete(CONFIG_MAPS, old)], creates=[Create(CONFIG_MAPS, config_map("x", v="new"))])
    await carry_out(client, plan, field_manager="t")
    assert (await client.get(CONFIG_MAPS, "x", "ns"))["data"] == {"v": "new"}


async def test_siblings_of_a_failed_create_are_tried_and_its_error_is_raised(client: LocalClient) -> None:
    await client.create(CONFIG_MAPS, config_map("b"), namespace="ns")
    plan = Plan(creates=[Create(CONFIG_MAPS, config_map(name)) for name in "abc"])
    plan.status = Patch(CONFIG_MAPS, "ns", "b", {"data": {"never": "written"}})
    with pytest.raises(AlreadyExists):
        await carry_out(client, plan, field_manager="t")
    assert await names(client) == ["a", "b", "c"]
    assert "data" not in await client.get(CONFIG_MAPS, "b", "ns")


async def test_a_delete_hits_only_the_object_that_was_read(client: LocalClient) -> None:
    old = await client.create(CONFIG_MAPS, config_map("x"), namespace="ns")
    await client.delete(CONFIG_MAPS, "x", "ns")
    await carry_out(client, Plan(deletes=[Delete(CONFIG_MAPS, old)]), field_manager="t")
    await client.create(CONFIG_MAPS, config_map("x"), namespace="ns")
    with pytest.raises(Conflict):
        await carry_out(client, Plan(deletes=[Delete(CONFIG_MAPS, old)]), field_manager="t")
    assert await names(client) == ["x"]


async def test_an_update_of_a_stale_object_is_refused(client: LocalClient) -> None:
    read = await client.create(CONFIG_MAPS, config_map("x", v="1"), namespace="ns")
    merge = Patch(CONFIG_MAPS, "ns", "x", {"data": {"v": "2"}}, PatchType.MERGE)
    await carry_out(client, Plan(updates=[merge]), field_manager="t")
    with pytest.raises(Conflict):
        await carry_out(client, Plan(updates=[Update(CONFIG_MAPS, {**read, "data": {"v": "3"}})]), field_manager="t")
    assert (await client.get(CONFIG_MAPS, "x", "ns"))["data"] == {"v": "2"}


async def test_what_was_not_begun_when_its_controller_is_stopped_is_closed() -> None:
    async def wait() -> None:
        await asyncio.Event().wait()

    work = [wait(), wait()]
    stopped = asyncio.create_task(together(work, 1))
    await asyncio.sleep(0)
    stopped.cancel()
    await asyncio.wait([stopped])
    assert [inspect.getcoroutinestate(item) for item in work] == [inspect.CORO_CLOSED] * 2
