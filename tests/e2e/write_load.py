"""Writers and watchers that outlive an engine: what was acknowledged to them, and what they have seen.

A write whose answer never came may have happened or not; everything else is known exactly.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from dataclasses import dataclass, field
from typing import NamedTuple

from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS
from sidings.api.status import ApiError, Expired
from sidings.client.errors import ClientError
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import ClientConfig

NAMES_PER_WRITER = 20
REST_SECONDS = 0.02
"""After an error, before the next try."""


class State(NamedTuple):
    """What a ConfigMap holds and its version."""

    value: str
    version: int


def state_of(obj: Object) -> State:
    return State(obj["data"]["value"], int(obj["metadata"]["resourceVersion"]))


@dataclass
class Writer:
    """Creates, changes and deletes ConfigMaps of its own, one write after the other, until it is cancelled."""

    name: str
    rng: random.Random
    acknowledged: dict[str, State] = field(default_factory=dict)
    """What exists, as of the last answer."""
    uncertain: tuple[str, str | None] | None = None
    """The name that was being written when no answer came, and the value it may have now (None: it may be gone)."""
    writes: int = 0
    last_version: int = 0

    async def run(self, config: ClientConfig) -> None:
        async with HttpClient(config) as client:
            while True:
                await self._write(client)

    async def _write(self, client: HttpClient) -> None:
        name = f"{self.name}-{self.rng.randrange(NAMES_PER_WRITER)}"
        value: str | None = f"{self.name}-{self.writes}-{self.rng.random()}"
        exists = name in self.acknowledged
        if exists and self.rng.random() < 0.2:
            value = None
        self.uncertain = (name, value)
        obj = {"metadata": {"name": name, "namespace": "default"}, "data": {"value": value}}
        if value is None:
            await client.delete(CONFIG_MAPS, name, "default")
            del self.acknowledged[name]
        else:
            made = await (client.update(CONFIG_MAPS, obj) if exists else client.create(CONFIG_MAPS, obj))
            self.acknowledged[name] = state_of(made)
            assert self.acknowledged[name].version > self.last_version, "resourceVersions only grow"
            self.last_version = self.acknowledged[name].version
        self.uncertain = None
        self.writes += 1

    def check(self, stored: dict[str, State]) -> None:
        """Compare what is ``stored`` after a restart with what was acknowledged, and go on from there."""
        mine = {name: state for name, state in stored.items() if name.rpartition("-")[0] == self.name}
        expected = dict(self.acknowledged)
        if self.uncertain is not None:
            name, value = self.uncertain
            found = mine.get(name)
            if found != expected.get(name):
                assert (found.value if found else None) == value, f"{name} holds what nobody wrote: {found}"
                expected.pop(name, None)
                if found is not None:
                    expected[name] = found
        assert mine == expected, "a write that was acknowledged is lost, or one that was refused is there"
        self.acknowledged, self.uncertain = expected, None


@dataclass
class Watcher:
    """Follows all ConfigMaps of the namespace as clients do: from where it was, or with a new list if that is gone."""

    view: dict[str, State] = field(default_factory=dict)
    version: int = 0
    events: int = 0
    resumed: int = 0
    relisted: int = 0

    async def run(self, config: ClientConfig) -> None:
        async with HttpClient(config) as client:
            while True:
                try:
                    await self._follow(client)
                except Expired:
                    self.version = 0
                except (ClientError, ApiError):
                    await asyncio.sleep(REST_SECONDS)

    async def _follow(self, client: HttpClient) -> None:
        if not self.version:
            listed = await client.list(CONFIG_MAPS, "default")
            self.view = states(listed.items)
            self.version = int(listed.resource_version)
            self.relisted += 1
        async for event in client.watch(CONFIG_MAPS, "default", resource_version=str(self.version)):
            version = int(event.object["metadata"]["resourceVersion"])
            assert version > self.version, "a watch goes forward"
            self.version = version
            self.events += 1
            changed = states([event.object])
            if event.type == "DELETED":
                for name in changed:
                    del self.view[name]
            else:
                self.view |= changed
        self.resumed += 1


def states(objects: list[Object]) -> dict[str, State]:
    """Those of writers; a namespace has other ConfigMaps, too."""
    return {obj["metadata"]["name"]: state_of(obj) for obj in objects if "value" in (obj.get("data") or {})}


async def stored(config: ClientConfig) -> tuple[dict[str, State], int]:
    """All ConfigMaps of writers, and the version of the list."""
    async with HttpClient(config) as client:
        listed = await client.list(CONFIG_MAPS, "default")
    return states(listed.items), int(listed.resource_version)


async def write_until_it_dies(writers: list[Writer], config: ClientConfig) -> None:
    """Every writer writes until its engine is killed; returns when the last one has noticed."""

    async def one(writer: Writer) -> None:
        with contextlib.suppress(ClientError, ApiError):
            await writer.run(config)

    await asyncio.gather(*(one(writer) for writer in writers))
