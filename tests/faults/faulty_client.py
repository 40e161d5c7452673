"""A client between a controller and the API that fails as networks, servers and processes do.

Writes meet conflicts, or are done and their answer is lost; watches deliver late, twice, or break and leave a gap; and
the process behind the client can die at any of its calls: from then on everything that it still tries raises ``Crash``.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.resources import Resource
from sidings.api.status import Conflict, Expired, ServiceUnavailable
from sidings.client.interface import Client, ObjectList, WatchEvent


class Crash(BaseException):
    """The process is dead. Not an ``Exception``: nothing in a controller may survive it."""


@dataclass
class Weather:
    """How likely each fault is, for everybody; ``calm`` stops them all."""

    conflict: float = 0.05
    answer_lost: float = 0.03
    slow: float = 0.05
    late: float = 0.15
    twice: float = 0.1
    broken: float = 0.01
    calm: bool = False
    seen: Counter[str] = field(default_factory=Counter)
    """How often each fault occurred."""

    def strikes(self, rng: random.Random, fault: str) -> bool:
        if self.calm or rng.random() >= getattr(self, fault):
            return False
        self.seen[fault] += 1
        return True


class FaultyClient:
    """``client.interface.Client`` for one life of one controller."""

    def __init__(self, client: Client, rng: random.Random, weather: Weather) -> None:
        self._client = client
        self._rng = rng
        self._weather = weather
        self._calls_left: int | None = None
        self._dead = False

    def crash_after(self, calls: int) -> None:
        """Die at the ``calls``-th await from now on."""
        if self._calls_left is None:
            self._calls_left = calls

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        return await self._read(lambda: self._client.get(resource, name, namespace))

    async def list(self, resource: Resource, namespace: str = "", **options: Any) -> ObjectList:
        return await self._read(lambda: self._client.list(resource, namespace, **options))

    async def dependents(self, resource: Resource, namespace: str = "", **owner: str) -> Sequence[Object]:
        return await self._read(lambda: self._client.dependents(resource, namespace, **owner))

    async def create(self, resource: Resource, obj: Object, **options: Any) -> Object:
        return await self._write(lambda: self._client.create(resource, obj, **options), may_conflict=False)

    async def update(self, resource: Resource, obj: Object, **options: Any) -> Object:
        return await self._write(lambda: self._client.update(resource, obj, **options))

    async def patch(self, resource: Resource, name: str, body: Any, **options: Any) -> Object:
        return await self._write(lambda: self._client.patch(resource, name, body, **options))

    async def delete(self, resource: Resource, name: str, namespace: str = "", **options: Any) -> Object:
        return await self._write(lambda: self._client.delete(resource, name, namespace, **options))

    async def logs(self, name: str, namespace: str, options: LogOptions) -> AsyncIterator[bytes]:
        async for chunk in self._client.logs(name, namespace, options):
            yield chunk

    async def watch(self, resource: Resource, namespace: str = "", **options: Any) -> AsyncIterator[WatchEvent]:
        """In order, as every watch; a broken one loses what happens until it is opened again."""
        async for event in self._client.watch(resource, namespace, **options):
            self._step()
            if self._weather.strikes(self._rng, "late"):
                await asyncio.sleep(self._rng.choice((0.01, 0.3, 5.0)))
                self._step()
            if self._weather.strikes(self._rng, "broken"):
                raise Expired("the watch fell behind")
            yield event
            if self._weather.strikes(self._rng, "twice"):
                yield event

    async def _read(self, call: Callable[[], Awaitable[Any]]) -> Any:
        await self._pause()
        return await call()

    async def _write(self, call: Callable[[], Awaitable[Any]], *, may_conflict: bool = True) -> Any:
        await self._pause()
        if may_conflict and self._weather.strikes(self._rng, "conflict"):
            raise Conflict("somebody was faster")
        answer = await call()
        await self._pause()
        if self._weather.strikes(self._rng, "answer_lost"):
            raise ServiceUnavailable("the answer was lost")
        return answer

    async def _pause(self) -> None:
        self._step()
        if self._weather.strikes(self._rng, "slow"):
            await asyncio.sleep(self._rng.choice((0.001, 0.02, 0.5)))
        else:
            await asyncio.sleep(0)
        self._step()

    def _step(self) -> None:
        if self._calls_left is not None and not self._dead:
            self._calls_left -= 1
            self._dead = self._calls_left <= 0
        if self._dead:
            raise Crash
