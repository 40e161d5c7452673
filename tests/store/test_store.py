"""The store against a plain dict, and what makes it more than one: preconditions, races, failures, the history."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sidings.store.entries import NOBODY, Delete, Document, Key, Put
from sidings.store.errors import Closed, Compacted, Full, KeyChanged
from sidings.store.log import FIRST_REVISION, MemoryLog
from sidings.store.store import Store

APP = ("metadata", "labels", "app")


def document(value: int = 0, size: int = 0) -> Document:
    return {"metadata": {"name": "x"}, "value": value, "filler": "." * size}


def pod(name: str, namespace: str = "default") -> Key:
    return ("pods", namespace, name)


@pytest.fixture(params=["memory", "disk"])
async def store(request: pytest.FixtureRequest, tmp_path: Path):
    store = Store.in_memory() if request.param == "memory" else Store.open(tmp_path / "state.db")
    yield store
    await store.close()


async def test_a_write_gets_the_next_revision_in_document_and_bytes(store: Store) -> None:
    (first,) = await store.write([Put(pod("a"), document(1))])
    (second,) = await store.write([Put(pod("b"), document(2))])
    assert second.revision == first.revision + 1 == store.revision
    assert store.get(pod("b")) is second
    assert second.document["metadata"]["resourceVersion"] == str(second.revision)
    assert msgspec.json.decode(second.data) == second.document


async def test_scans_are_sorted_and_bounded_by_their_prefix(store: Store) -> None:
    for key in (pod("b"), pod("a"), pod("a", "zoo"), pod("c", "ant"), ("jobs", "ant", "a")):
        await store.write([Put(key, document())])
    assert [entry.key[1:] for entry in store.scan(("pods",))] == [
        ("ant", "c"), ("default", "a"), ("default", "b"), ("zoo", "a"),
    ]  # fmt: skip
    assert [entry.key[2] for entry in store.scan(("pods", "default"))] == ["a", "b"]
    assert store.scan(("pods", "nowhere")) == []


def owned_by(*owners: str, controller: bool = True) -> Document:
    references = [{"kind": "Job", "name": name, "controller": controller and not i} for i, name in enumerate(owners)]
    return {"metadata": {"ownerReferences": references}}


async def test_dependents_are_found_by_any_of_their_owners(store: Store) -> None:
    await store.write([Put(pod("b"), owned_by("j", "k")), Put(pod("a"), owned_by("j")), Put(pod("c"), document())])
    await store.write([Put(pod("a", "zoo"), owned_by("j")), Put(pod("d"), owned_by("k", controller=False))])

    def names(owner: tuple[str, str], *prefix: str) -> list[str]:
        return ["/".join(entry.key[1:]) for entry in store.owned(("pods", *prefix), owner)]

    assert names(("Job", "j")) == ["default/a", "default/b", "zoo/a"]
    assert names(("Job", "j"), "default") == ["default/a", "default/b"]
    assert names(("Job", "k")) == ["default/b", "default/d"]
    assert names(NOBODY) == ["default/c", "default/d"]
    await store.write([Put(pod("a"), document()), Delete(pod("b"))])
    assert names(("Job", "j")) == ["zoo/a"]
    assert names(NOBODY) == ["default/a", "default/c", "default/d"]


async def test_entries_are_found_by_a_label(store: Store) -> None:
    def labelled(**labels: str) -> Document:
        return {"metadata": {"labels": labels}}

    def names(value: str) -> list[str]:
        return [entry.key[2] for entry in store.holding(("pods", "default"), APP, value)]

    await store.write([Put(pod("b"), labelled(app="x")), Put(pod("a"), labelled(app="x")), Put(pod("c"), document())])
    await store.write([Put(pod("d", "zoo"), labelled(app="x"))])
    assert names("x") == ["a", "b"]
    assert names("y") == []
    await store.write([Put(pod("a"), labelled(app="y")), Put(pod("c"), labelled(app="x")), Delete(pod("b"))])
    assert names("x") == ["c"]
    assert names("y") == ["a"]
    assert [entry.key[1:] for entry in store.holding(("pods",), APP, "x")] == [("default", "c"), ("zoo", "d")]


async def test_preconditions(store: Store) -> None:
    (entry,) = await store.write([Put(pod("a"), document(), expected=0)])
    with pytest.raises(KeyChanged) as caught:
        await store.write([Put(pod("a"), document(), expected=0)])
    assert caught.value.current is entry
    await store.write([Put(pod("a"), document(1), expected=entry.revision)])
    with pytest.raises(KeyChanged):
        await store.write([Delete(pod("a"), expected=entry.revision)])
    with pytest.raises(KeyChanged):
        await store.write([Delete(pod("missing"))])


async def test_a_write_of_many_is_all_or_none(store: Store) -> None:
    await store.write([Put(pod("a"), document())])
    before = store.revision
    with pytest.raises(KeyChanged):
        await store.write([Put(pod("b"), document()), Delete(pod("missing"))])
    assert store.get(pod("b")) is None
    assert store.revision == before
    put, deleted = await store.write([Put(pod("b"), document()), Delete(pod("a"))])
    assert (put.revision, deleted.revision) == (before + 1, before + 2)
    assert [entry.key[2] for entry in store.scan(("pods",))] == ["b"]


async def test_of_writes_that_race_on_one_key_exactly_one_wins_each_round(store: Store) -> None:
    await store.write([Put(pod("counter"), document(0))])

    async def add_one() -> None:
        while True:
            entry = store.get(pod("counter"))
            assert entry is not None
            try:
                await store.write([Put(pod("counter"), document(entry.document["value"] + 1), entry.revision)])
            except KeyChanged:
                continue
            return

    await asyncio.gather(*(add_one() for _ in range(30)))
    entry = store.get(pod("counter"))
    assert entry is not None
    assert entry.document["value"] == 30


async def test_of_creations_that_race_the_losers_see_the_winner(store: Store) -> None:
    async def create() -> bool:
        try:
            await store.write([Put(pod("a"), document(), expected=0)])
        except KeyChanged as error:
            assert error.current is store.get(pod("a")) is not None
            return False
        return True

    assert sum(await asyncio.gather(*(create() for _ in range(10)))) == 1


async def test_a_watch_sees_what_comes_after_its_revision_under_its_prefix(store: Store) -> None:
    await store.write([Put(pod("early"), document())])
    start = store.revision
    await store.write([Put(pod("a"), document(1))])
    with store.watch(("pods", "default"), start) as watch:
        await store.write([Put(pod("a"), document(2))])
        await store.write([Put(pod("elsewhere", "other"), document())])
        await store.write([Put(("jobs", "default", "a"), document())])
        await store.write([Delete(pod("a"))])
        changes = await watch.batch()
        assert watch.idle
    assert [(c.entry.document["value"], c.previous is None, c.deleted) for c in changes] == [
        (1, True, False), (2, False, False), (2, False, True),
    ]  # fmt: skip
    assert changes[2].entry.document["metadata"]["resourceVersion"] == str(store.revision)
    assert changes[1].entry.document["metadata"]["resourceVersion"] != str(store.revision)


async def test_a_watch_waits_for_the_future_and_ends_with_the_store(store: Store) -> None:
    watch = store.watch(("pods",), store.revision + 1)
    await store.write([Put(pod("skipped"), document())])
    waiting = asyncio.create_task(watch.batch())
    await asyncio.sleep(0)
    await store.write([Put(pod("seen"), document())])
    assert [change.entry.key for change in await waiting] == [pod("seen")]
    waiting = asyncio.create_task(watch.batch())
    await asyncio.sleep(0)
    await store.close()
    with pytest.raises(Closed):
        await waiting
    with pytest.raises(Closed):
        await store.write([Put(pod("late"), document())])


async def test_a_scan_of_the_past_undoes_what_happened_since(store: Store) -> None:
    for name in "abc":
        await store.write([Put(pod(name), document(1))])
    then, expected = store.revision, [entry.document for entry in store.scan(("pods",))]
    await store.write([Delete(pod("a"))])
    await store.write([Put(pod("b"), document(2))])
    await store.write([Put(pod("d", "added"), document())])
    assert [entry.document for entry in store.scan(("pods",), then)] == expected
    assert [entry.key[2] for entry in store.scan(("pods", "default"), then)] == ["a", "b", "c"]


async def test_the_history_is_bounded_by_bytes() -> None:
    store = Store.in_memory(history_bytes=10_000)
    start = store.revision
    slow = store.watch(("pods",), start)
    for number in range(30):
        await store.write([Put(pod(f"p{number}"), document(size=1000))])
    with pytest.raises(Compacted):
        store.watch(("pods",), start)
    with pytest.raises(Compacted):
        store.scan(("pods",), start)
    with pytest.raises(Compacted):
        await slow.batch()
    oldest = store.oldest("pods")
    with store.watch(("pods",), oldest) as watch:
        assert len(await watch.batch()) == store.revision - oldest <= 9
    assert store.oldest("jobs") == start, "a busy resource does not cost the others their history"


async def test_a_full_log_refuses_writes_but_not_reads_and_recovers() -> None:
    log = MemoryLog(room=500)
    store = Store.in_memory(log=log)
    await store.write([Put(pod("a"), document())])
    with pytest.raises(Full):
        await store.write([Put(pod("big"), document(size=1000))])
    assert store.get(pod("a")) is not None
    assert store.get(pod("big")) is None
    log.room = 10_000
    await store.write([Put(pod("big"), document(size=1000))])
    assert store.get(pod("big")) is not None


async def test_what_rests_on_a_failed_write_fails_with_it() -> None:
    """Behind the thread: the second write is decided on the first one's outcome before that is known."""
    log = MemoryLog(room=0)
    store = Store(log, threaded=True)
    outcomes = await asyncio.gather(
        *(store.write([Put(pod("a"), document(n))]) for n in range(5)), return_exceptions=True
    )
    assert [type(outcome) for outcome in outcomes] == [Full] * 5
    assert store.get(pod("a")) is None
    log.room = 10_000
    (entry,) = await store.write([Put(pod("a"), document(9), expected=0)])
    assert store.get(pod("a")) is entry
    await store.close()


async def test_a_caller_that_gives_up_does_not_undo_its_write(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state.db")
    watch = store.watch(("pods",), store.revision)
    writing = asyncio.create_task(store.write([Put(pod("a"), document())]))
    await asyncio.sleep(0)
    writing.cancel()
    await store.write([Put(pod("b"), document())])
    assert writing.cancelled()
    assert store.get(pod("a")) is not None
    assert [change.entry.key[2] for change in await watch.batch()] == ["a", "b"]
    await store.close()


class AgainstADict(RuleBasedStateMachine):
    """Any order of puts and deletes: the store holds what a dict would, and a watch from the start replays it."""

    keys = st.sampled_from([pod("a"), pod("b"), pod("a", "other"), ("jobs", "default", "a")])

    def __init__(self) -> None:
        super().__init__()
        self.store = Store.in_memory(history_bytes=1 << 20)
        self.model: dict[Key, int] = {}
        self.past: list[tuple[int, dict[Key, int]]] = []
        self.runner = asyncio.Runner()

    def teardown(self) -> None:
        self.runner.close()

    @rule(key=keys, value=st.integers(0, 9))
    def put(self, key: Key, value: int) -> None:
        self.runner.run(self.store.write([Put(key, document(value))]))
        self.model[key] = value

    @rule(key=keys)
    def create(self, key: Key) -> None:
        try:
            self.runner.run(self.store.write([Put(key, document(1), expected=0)]))
        except KeyChanged:
            assert key in self.model
        else:
            assert key not in self.model
            self.model[key] = 1

    @rule(key=keys)
    def delete(self, key: Key) -> None:
        try:
            self.runner.run(self.store.write([Delete(key)]))
        except KeyChanged:
            assert key not in self.model
        else:
            del self.model[key]

    @rule()
    def remember(self) -> None:
        self.past.append((self.store.revision, dict(self.model)))

    @invariant()
    def holds_what_the_dict_holds(self) -> None:
        for resource in ("pods", "jobs"):
            found = {entry.key: entry.document["value"] for entry in self.store.scan((resource,))}
            assert found == {key: value for key, value in self.model.items() if key[0] == resource}
            for revision, model in self.past:
                then = {entry.key: entry.document["value"] for entry in self.store.scan((resource,), revision)}
                assert then == {key: value for key, value in model.items() if key[0] == resource}

    @invariant()
    def a_watch_from_the_start_replays_it(self) -> None:
        replayed: dict[Key, int] = {}
        for resource in ("pods", "jobs"):
            watch = self.store.watch((resource,), FIRST_REVISION)
            for change in self.runner.run(watch.batch()) if not watch.idle else []:
                if change.deleted:
                    del replayed[change.entry.key]
                else:
                    replayed[change.entry.key] = change.entry.document["value"]
        assert replayed == self.model


TestAgainstADict = AgainstADict.TestCase
TestAgainstADict.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
