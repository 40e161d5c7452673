import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, ClassVar

import pytest

from sidings.api.objects import Key, Object
from sidings.api.resources import CONFIG_MAPS, SECRETS
from sidings.api.status import ApiError, Conflict, Expired, InternalError
from sidings.client.interface import Client, ObjectList, WatchEvent
from sidings.clock import LoopClock
from sidings.controllers.runtime.controller import Controller, keys_of_controller

pytestmark = pytest.mark.looptime

A, B = Key("ns", "a"), Key("ns", "b")


class Stream:
    """One resource: its watches give the events that a test puts in, and end or fail as told."""

    def __init__(self) -> None:
        self.items: asyncio.Queue[WatchEvent | ApiError | None] = asyncio.Queue()
        self.present: list[Object] = []
        """What a list gives."""
        self.watched_from: list[str] = []

    async def watch(self, version: str) -> AsyncIterator[WatchEvent]:
        self.watched_from.append(version)
        while (item := await self.items.get()) is not None:
            if isinstance(item, ApiError):
                raise item
            yield item


class Streams:
    def __init__(self) -> None:
        self.of: dict[Any, Stream] = {CONFIG_MAPS: Stream(), SECRETS: Stream()}

    def watch(self, resource: Any, *, resource_version: str) -> AsyncIterator[WatchEvent]:
        return self.of[resource].watch(resource_version)

    async def list(self, resource: Any) -> ObjectList:
        return ObjectList(self.of[resource].present, "7")


class Recording(Controller):
    """Remembers when it was asked for which key."""

    name = "recording"
    resource = CONFIG_MAPS
    triggers: ClassVar = {SECRETS: keys_of_controller("ConfigMap")}
    workers = 2

    def __init__(self, client: Client, answer: Callable[[Key, int], float | None]) -> None:
        super().__init__(client, LoopClock(), random.Random(1))
        self.calls: list[tuple[Key, float]] = []
        self._answer = answer

    def settle_seconds(self, obj: Object) -> float:
        return 0.5

    async def reconcile(self, key: Key) -> float | None:
        self.calls.append((key, round(asyncio.get_running_loop().time(), 2)))
        return self._answer(key, sum(1 for called, _ in self.calls if called == key))


def named(key: Key, owner: Key | None = None) -> Object:
    references = [{"kind": "ConfigMap", "name": owner.name, "uid": "u", "controller": True}] if owner else []
    return {"metadata": {"namespace": key.namespace, "name": key.name, "ownerReferences": references}}


async def run(answer: Callable[[Key, int], float | None], seconds: float, *events: tuple[Any, Any]) -> Recording:
    """Run a controller for ``seconds`` with ``events`` (resource, event) that are there from the start."""
    streams = Streams()
    for resource, event in events:
        streams.of[resource].items.put_nowait(event)
    controller = Recording(streams, answer)  # type: ignore[arg-type]
    await run_for(seconds, controller)
    return controller


async def run_for(seconds: float, controller: Controller) -> None:
    running = asyncio.create_task(controller.run())
    await asyncio.sleep(seconds)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def added(key: Key, owner: Key | None = None) -> WatchEvent:
    return WatchEvent("ADDED", named(key, owner))


async def test_every_change_of_its_own_resource_is_a_key() -> None:
    controller = await run(lambda key, n: None, 1, (CONFIG_MAPS, added(A)), (CONFIG_MAPS, added(B)))
    assert controller.calls == [(A, 0), (B, 0)]


async def test_a_burst_of_dependents_is_one_pass() -> None:
    events = [(SECRETS, added(Key("ns", f"s{number}"), owner=A)) for number in range(5)]
    controller = await run(lambda key, n: None, 2, *events, (SECRETS, added(B)))
    assert controller.calls == [(A, 0.5)]


async def test_a_bookmark_is_no_change() -> None:
    controller = await run(lambda key, n: None, 1, (CONFIG_MAPS, WatchEvent("BOOKMARK", named(A))))
    assert controller.calls == []


async def test_a_key_comes_again_when_it_asks_to() -> None:
    controller = await run(lambda key, n: 10 if n == 1 else None, 60, (CONFIG_MAPS, added(A)))
    assert controller.calls == [(A, 0), (A, 10)]


def failing(error: Exception, times: int) -> Callable[[Key, int], float | None]:
    def answer(key: Key, call: int) -> float | None:
        if key == A and call <= times:
            raise error
        return None

    return answer


@pytest.mark.parametrize("error", [InternalError("no"), Conflict("stale"), KeyError("a bug")])
async def test_a_failure_is_tried_again_and_hurts_no_other_key(error: Exception) -> None:
    events = [(CONFIG_MAPS, added(A)), (CONFIG_MAPS, added(B))]
    controller = await run(failing(error, 2), 5, *events)
    assert [key for key, _ in controller.calls].count(A) == 3
    assert [key for key, _ in controller.calls].count(B) == 1


async def test_a_watch_that_ends_or_fails_starts_anew() -> None:
    streams = Streams()
    for item in (None, InternalError("gone"), added(A)):
        streams.of[CONFIG_MAPS].items.put_nowait(item)
    controller = Recording(streams, lambda key, n: None)  # type: ignore[arg-type]
    await run_for(10, controller)
    assert streams.of[CONFIG_MAPS].watched_from == ["7", "7", "7"]
    assert streams.of[SECRETS].watched_from == [""]
    assert [key for key, _ in controller.calls] == [A]


async def test_what_was_there_when_a_watch_started_anew_is_looked_at() -> None:
    streams = Streams()
    streams.of[CONFIG_MAPS].items.put_nowait(Expired("the watch fell behind"))
    streams.of[CONFIG_MAPS].present = [named(A), named(B)]
    controller = Recording(streams, lambda key, n: None)  # type: ignore[arg-type]
    await run_for(1, controller)
    assert controller.calls == [(A, 0), (B, 0)]


async def test_an_owner_whose_dependent_went_while_nobody_watched_is_looked_at() -> None:
    streams = Streams()
    streams.of[CONFIG_MAPS].items.put_nowait(added(A))
    streams.of[CONFIG_MAPS].present = [named(A)]
    streams.of[SECRETS].items.put_nowait(added(Key("ns", "s"), owner=A))
    controller = Recording(streams, lambda key, n: None)  # type: ignore[arg-type]
    running = asyncio.create_task(run_for(20, controller))
    await asyncio.sleep(10)
    assert controller.calls == [(A, 0), (A, 0.5)]
    streams.of[SECRETS].items.put_nowait(Expired("the watch fell behind"))  # and the Secret is in no list any more
    await running
    assert controller.calls == [(A, 0), (A, 0.5), (A, 10)]


class Leaving(Recording):
    """What it is about leaves something behind."""

    async def leftovers(self) -> Iterable[Key]:
        return (B,)


async def test_what_is_left_is_looked_at_after_a_start_and_after_a_gap() -> None:
    streams = Streams()
    streams.of[CONFIG_MAPS].present = [named(A)]
    controller = Leaving(streams, lambda key, n: None)  # type: ignore[arg-type]
    running = asyncio.create_task(run_for(20, controller))
    await asyncio.sleep(10)
    assert controller.calls == [(A, 0), (B, 0)]
    streams.of[SECRETS].items.put_nowait(Expired("another watch: nothing of its own was missed"))
    await asyncio.sleep(5)
    assert controller.calls[2:] == [(A, 10)]
    streams.of[CONFIG_MAPS].items.put_nowait(Expired("the watch fell behind"))
    await running
    assert controller.calls[3:] == [(A, 15), (B, 15)]
