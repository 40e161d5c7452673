import random
from collections.abc import AsyncIterator

import pytest

from sidings.api.catalog import builtin
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, NAMESPACES
from sidings.client.events import MESSAGE_LIMIT, EventNote, Recorder
from sidings.client.local import LocalClient
from sidings.clock import LoopClock
from sidings.registry.registry import Registry
from sidings.store.store import Store

pytestmark = pytest.mark.looptime

JOB = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "ns", "uid": "u1"}}


@pytest.fixture
async def client() -> AsyncIterator[LocalClient]:
    store = Store.in_memory()
    made = LocalClient(Registry(store, builtin(), LoopClock(), random.Random(1)))
    await made.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}})
    yield made
    await store.close()


async def events(client: LocalClient) -> list[Object]:
    return (await client.list(EVENTS, "ns")).items


async def test_a_classic_recorder_counts_in_one_event(client: LocalClient) -> None:
    recorder = Recorder(client, LoopClock(), "job-controller")
    note = EventNote(JOB, "Normal", "SuccessfulCreate", "Created pod: p")
    for _ in range(3):
        await recorder.record(note)
    (event,) = await events(client)
    assert event["count"] == 3
    assert event["source"] == {"component": "job-controller"}
    assert event["involvedObject"]["uid"] == "u1"
    assert event["firstTimestamp"] and event["lastTimestamp"]


async def test_the_newer_recorder_keeps_a_series_and_no_old_fields(client: LocalClient) -> None:
    recorder = Recorder(client, LoopClock(), "jobset", classic=False)
    note = EventNote(JOB, "Warning", "JobCreationFailed", "no")
    await recorder.record(note)
    (event,) = await events(client)
    assert event["reportingComponent"] == "jobset"
    assert event["action"] == "Reconciling"
    assert event["eventTime"]
    assert event.get("firstTimestamp") is None and "count" not in event
    await recorder.record(note)
    (event,) = await events(client)
    assert event["series"]["count"] == 2


async def test_other_facts_are_other_events(client: LocalClient) -> None:
    recorder = Recorder(client, LoopClock(), "c")
    for note in (
        EventNote(JOB, "Normal", "A", "x"),
        EventNote(JOB, "Normal", "A", "y"),
        EventNote(JOB, "Warning", "A", "x"),
    ):
        await recorder.record(note)
    assert len(await events(client)) == 3


async def test_a_long_message_is_cut(client: LocalClient) -> None:
    await Recorder(client, LoopClock(), "c").record(EventNote(JOB, "Normal", "A", "x" * 5000))
    (event,) = await events(client)
    assert len(event["message"]) == MESSAGE_LIMIT


async def test_an_event_that_cannot_be_written_is_dropped(client: LocalClient) -> None:
    bad = EventNote({**JOB, "metadata": {**JOB["metadata"], "name": "Not A Name"}}, "Normal", "A", "x")
    await Recorder(client, LoopClock(), "c").record(bad)
    assert await events(client) == []
