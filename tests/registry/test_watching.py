"""Watches, on virtual time."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest

from sidings.api import catalog
from sidings.api.options import ListOptions
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, Resource
from sidings.api.status import Expired, UnexplainedError
from sidings.clock import LoopClock
from sidings.registry.registry import Registry
from sidings.registry.watching import Event
from sidings.store.store import Store

pytestmark = pytest.mark.looptime


class Watched:
    """A registry of ConfigMaps and a way to write them."""

    def __init__(self) -> None:
        self.store = Store.in_memory(history_bytes=20_000)
        self.registry = Registry(self.store, catalog.builtin(), LoopClock(), random.Random(1))
        self.kind = self._kind(CONFIG_MAPS)

    def _kind(self, resource: Resource) -> Any:
        return self.registry.catalog.by_plural(resource.group, resource.version, resource.plural)

    async def start(self) -> None:
        await self.registry.create(self._kind(NAMESPACES), {"metadata": {"name": "default"}})

    async def create(self, name: str, **labels: str) -> None:
        await self.registry.create(self.kind, {"metadata": {"name": name, "labels": labels}}, "default")

    async def patch(self, name: str, body: Any) -> None:
        await self.registry.patch(self.kind, name, body, "default", patch_type="application/merge-patch+json")

    async def delete(self, name: str) -> None:
        await self.registry.delete(self.kind, name, "default")

    def events(self, **wanted: Any) -> AsyncIterator[Event]:
        return self.registry.watch(self.kind, "default", ListOptions(**wanted))


@pytest.fixture
async def world() -> Watched:
    world = Watched()
    await world.start()
    return world


async def collected(events: AsyncIterator[Event]) -> list[str]:
    """Types and names, until the watch ends."""
    return [f"{event.type} {event.object['metadata'].get('name', '-')}" async for event in events]


async def test_without_a_version_existing_objects_come_first(world: Watched) -> None:
    await world.create("a")
    watching = asyncio.create_task(collected(world.events(timeout_seconds=5)))
    await asyncio.sleep(1)
    await world.create("b")
    await world.patch("a", {"data": {"k": "v"}})
    await world.delete("a")
    assert await watching == ["ADDED a", "ADDED b", "MODIFIED a", "DELETED a"]


async def test_with_a_version_only_what_came_after_it(world: Watched) -> None:
    await world.create("a")
    then = str(world.store.revision)
    await world.create("b")
    assert await collected(world.events(resource_version=then, timeout_seconds=1)) == ["ADDED b"]
    assert await collected(world.events(resource_version="0", timeout_seconds=1)) == ["ADDED a", "ADDED b"]


async def test_nothing_is_lost_between_the_call_and_the_first_event(world: Watched) -> None:
    events = world.events(resource_version=str(world.store.revision), timeout_seconds=1)
    await world.create("a")
    assert await collected(events) == ["ADDED a"]


async def test_an_object_enters_and_leaves_a_selection(world: Watched) -> None:
    version = str(world.store.revision)
    await world.create("w", w="1")
    await world.create("never", w="9")
    await world.patch("w", {"metadata": {"labels": {"w": "2"}}})
    await world.patch("w", {"metadata": {"labels": {"w": "1"}}})
    await world.delete("w")
    seen = [e async for e in world.events(resource_version=version, label_selector="w=1", timeout_seconds=1)]
    assert [event.type for event in seen] == ["ADDED", "DELETED", "ADDED", "DELETED"]
    left = seen[1].object["metadata"]
    assert left["labels"] == {"w": "1"}, "shown as it last matched"
    assert left["resourceVersion"] == str(int(seen[2].object["metadata"]["resourceVersion"]) - 1)
    assert b'"w":"1"' in seen[1].data


async def test_a_write_that_changes_nothing_is_no_event(world: Watched) -> None:
    await world.create("a")
    version = str(world.store.revision)
    await world.patch("a", {})
    assert await collected(world.events(resource_version=version, timeout_seconds=1)) == []


async def test_a_watch_list_says_where_the_list_ends(world: Watched) -> None:
    await world.create("a")
    options = {"send_initial_events": True, "resource_version_match": "NotOlderThan", "timeout_seconds": 2}
    seen = [event async for event in world.events(bookmarks=True, **options)]
    assert [event.type for event in seen] == ["ADDED", "BOOKMARK", "BOOKMARK"]
    assert seen[1].object == {
        "kind": "ConfigMap",
        "apiVersion": "v1",
        "metadata": {
            "resourceVersion": str(world.store.revision),
            "annotations": {"k8s.io/initial-events-end": "true"},
        },
    }
    assert "annotations" not in seen[2].object["metadata"]
    assert await collected(world.events(**options)) == ["ADDED a"], "no bookmarks, no end"


async def test_initial_events_may_be_declined(world: Watched) -> None:
    await world.create("a")
    options = {"send_initial_events": False, "resource_version_match": "NotOlderThan", "timeout_seconds": 1}
    assert await collected(world.events(**options)) == []


async def test_bookmarks_come_every_minute_and_before_the_end(world: Watched) -> None:
    started = asyncio.get_running_loop().time()
    times = []
    async for event in world.events(bookmarks=True, timeout_seconds=150):
        assert event.type == "BOOKMARK"
        times.append(round(asyncio.get_running_loop().time() - started))
    assert times == [60, 120, 148]


async def test_a_bookmark_does_not_wait_for_a_quiet_moment(world: Watched) -> None:
    async def write() -> None:
        for number in range(70):
            await world.create(f"c{number}", filler="x" * 60)
            await asyncio.sleep(1)

    writing = asyncio.create_task(write())
    seen = await collected(world.events(bookmarks=True, timeout_seconds=65))
    writing.cancel()
    assert sum(each.startswith("BOOKMARK") for each in seen) == 2


async def test_a_version_that_is_too_old_fails_in_the_stream(world: Watched) -> None:
    events = world.events(resource_version="1")
    with pytest.raises(Expired, match=r"^too old resource version: 1 \(1000\)$"):
        await anext(events)


async def test_a_slow_reader_has_to_begin_anew(world: Watched) -> None:
    events = world.events(resource_version=str(world.store.revision))
    await world.create("first")
    assert (await anext(events)).object["metadata"]["name"] == "first"
    for number in range(100):
        await world.create(f"c{number}", filler="x" * 60)
    with pytest.raises(Expired, match="too old resource version"):
        await collected(events)


async def test_a_version_that_is_none_fails_at_once(world: Watched) -> None:
    with pytest.raises(UnexplainedError, match='parsing "abc": invalid syntax'):
        world.events(resource_version="abc")


async def test_a_version_of_the_future_is_silent(world: Watched) -> None:
    events = world.events(resource_version="999999999", timeout_seconds=2, bookmarks=True)
    await world.create("a")
    assert await collected(events) == []


async def test_the_end_of_the_store_ends_the_watch(world: Watched) -> None:
    watching = asyncio.create_task(collected(world.events()))
    await asyncio.sleep(1)
    await world.store.close()
    assert await watching == []
