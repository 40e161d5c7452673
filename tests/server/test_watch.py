import json
import random
from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest

from sidings.api import catalog
from sidings.api.resources import CONFIG_MAPS
from sidings.api.status import Expired, Invalid
from sidings.registry.watching import Event
from sidings.server import watch
from sidings.server.limits import WATCH_SECONDS
from sidings.server.negotiation import Answer, Form
from sidings.server.queries import Query
from sidings.server.rendering import Rendering
from sidings.server.responses import encode

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
KIND = catalog.builtin().by_plural(*CONFIG_MAPS[:3])


def rendering(form: Form) -> Rendering:
    assert KIND is not None
    return Rendering(KIND, Answer(form), "", NOW)


def event(type_: str, name: str) -> Event:
    metadata = {"name": name, "resourceVersion": "7"} if name else {"resourceVersion": "9"}
    obj = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": metadata}
    return Event(type_, obj, encode(obj))


async def events(*found: Event | Exception) -> AsyncIterator[Event]:
    for item in found:
        if isinstance(item, Exception):
            raise item
        yield item


async def lines(form: Form, *found: Event | Exception) -> list[dict]:  # type: ignore[type-arg]
    frames = [frame async for frame in watch.frames(events(*found), rendering(form))]
    assert all(frame.endswith(b"\n") and frame.count(b"\n") == 1 for frame in frames)
    return [json.loads(frame) for frame in frames]


async def test_objects() -> None:
    first, second = await lines(Form.OBJECT, event("ADDED", "a"), event("BOOKMARK", ""))
    assert (first["type"], first["object"]["metadata"]["name"]) == ("ADDED", "a")
    assert (second["type"], second["object"]["metadata"]) == ("BOOKMARK", {"resourceVersion": "9"})


async def test_metadata_only() -> None:
    (only,) = await lines(Form.PARTIAL, event("ADDED", "a"))
    assert only["object"]["kind"] == "PartialObjectMetadata"
    assert "data" not in only["object"]


async def test_an_expired_version_is_an_event() -> None:
    found = await lines(Form.OBJECT, event("ADDED", "a"), Expired("too old resource version: 1 (5)"))
    assert found[1]["type"] == "ERROR"
    assert found[1]["object"]["code"] == 410


def test_a_watch_without_a_time_gets_one() -> None:
    times = {watch.options_of(Query(b"watch=1"), "", random.Random(seed)).timeout_seconds for seed in range(9)}
    assert len(times) == 9
    assert all(time is not None and WATCH_SECONDS <= time <= 2 * WATCH_SECONDS for time in times)
    assert watch.options_of(Query(b"timeoutSeconds=5"), "", random.Random(1)).timeout_seconds == 5


def test_the_old_path_watches_one_name() -> None:
    rng = random.Random(1)
    assert watch.options_of(Query(), "a", rng).field_selector == "metadata.name=a"
    both = watch.options_of(Query(b"fieldSelector=metadata.namespace%3Dn"), "a", rng)
    assert both.field_selector == "metadata.namespace=n,metadata.name=a"


def test_initial_events_need_a_match() -> None:
    with pytest.raises(Invalid, match="sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"):
        watch.options_of(Query(b"sendInitialEvents=true"), "", random.Random(1))
