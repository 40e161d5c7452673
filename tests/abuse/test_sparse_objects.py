"""Objects that leave out what nearly everybody says: refused, or borne by every controller.

Schemas ask for little, since Go's types fill in empty values; who reads objects as they are must expect the gaps.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterator

import pytest

from sidings.api import catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.status import ApiError
from sidings.host.control_plane import ControlPlane
from tests import control_planes
from tests.clients import commands

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]

IDENTITY = ("apiVersion", "kind", "metadata")
NOT_MADE = ("Node", "Namespace")
"""They would wait for an agent, or for what is in them."""


@pytest.fixture
async def plane() -> AsyncIterator[ControlPlane]:
    async for made in control_planes.running():
        yield made


def sparse(good: Object | None) -> Iterator[Object]:
    """Next to nothing, and ``good`` without, or with an empty value for, each of its fields of two levels."""
    yield {}
    yield {"spec": {}}
    yield {"status": {}}
    fields = {name: value for name, value in (good or {}).items() if name not in IDENTITY}
    for name, value in fields.items():
        yield {other: each for other, each in fields.items() if other != name}
        for below, inner in value.items() if isinstance(value, dict) else ():
            yield {**fields, name: {other: each for other, each in value.items() if other != below}}
            if isinstance(inner, dict | list):
                yield {**fields, name: {**value, below: type(inner)()}}


def cases() -> Iterator[tuple[Kind, Object]]:
    words = {"namespace": "default"}
    samples = {(each.api_version, each.kind): each.object("sparse", words) for each in commands.samples()}
    for kind in catalog.builtin():
        resource = kind.resource
        if resource.kind not in NOT_MADE:
            for number, fields in enumerate(sparse(samples.get((resource.api_version, resource.kind)))):
                name = f"{resource.kind.lower()}-{resource.version}-{number}"
                yield kind, {"metadata": {"name": name}, **json.loads(json.dumps(fields))}


async def test_every_controller_bears_them(plane: ControlPlane, caplog: pytest.LogCaptureFixture) -> None:
    made = 0
    with caplog.at_level(logging.ERROR):
        for kind, obj in cases():
            try:
                await plane.registry.create(kind, obj, "default" if kind.resource.namespaced else "")
                made += 1
            except ApiError:
                continue
            await asyncio.sleep(0.1)
        await asyncio.sleep(60)
    assert caplog.text == ""
    assert made > 100
