"""The thread that commits: batches together, outcomes in order, nothing on top of a failure."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue

from sidings.store.entries import Entry
from sidings.store.errors import Full, StoreError
from sidings.store.log import Row
from sidings.store.writer import Writer


class GatedLog:
    """A log whose commits wait for a permit; those of a name in ``refused`` fail."""

    def __init__(self) -> None:
        self.permits = threading.Semaphore(0)
        self.entered = threading.Semaphore(0)
        self.commits: list[list[str]] = []
        self.refused: set[str] = set()

    def load(self) -> tuple[int, list[Entry]]:
        return 0, []

    def append(self, rows: Sequence[Row]) -> None:
        self.entered.release()
        self.permits.acquire()
        names = [row.key[2] for row in rows]
        if self.refused & set(names):
            raise Full("full")
        self.commits.append(names)

    def close(self) -> None:
        """Nothing to release."""


class Outcomes:
    """The event loop's side: what became of each write, in the order it was told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, StoreError | None]] = []
        self.reports: SimpleQueue[Callable[[], None]] = SimpleQueue()

    def submit(self, writer: Writer, name: str) -> None:
        writer.submit([Row(("pods", "", name), 1, b"")], lambda failure: self.told.append((name, failure)))

    def take(self) -> None:
        self.reports.get(timeout=10)()


def test_what_queues_up_during_a_commit_is_committed_together() -> None:
    log, outcomes = GatedLog(), Outcomes()
    writer = Writer(log, outcomes.reports.put)
    outcomes.submit(writer, "a")
    log.entered.acquire()
    for name in "bcd":
        outcomes.submit(writer, name)
    log.permits.release(2)
    outcomes.take()
    outcomes.take()
    assert log.commits == [["a"], ["b", "c", "d"]]
    assert outcomes.told == [("a", None), ("b", None), ("c", None), ("d", None)]
    writer.stop()


def test_what_rests_on_a_failed_commit_is_refused_until_the_next_epoch() -> None:
    log, outcomes = GatedLog(), Outcomes()
    log.refused = {"bad"}
    log.permits.release(10)
    writer = Writer(log, outcomes.reports.put)
    outcomes.submit(writer, "bad")
    outcomes.take()
    outcomes.submit(writer, "on top of it")
    outcomes.take()
    writer.begin_epoch()
    outcomes.submit(writer, "afresh")
    outcomes.take()
    assert [(name, type(failure)) for name, failure in outcomes.told] == [
        ("bad", Full),
        ("on top of it", Full),
        ("afresh", type(None)),
    ]
    assert log.commits == [["afresh"]]
    writer.stop()


def test_stopping_commits_what_is_queued() -> None:
    log, outcomes = GatedLog(), Outcomes()
    log.permits.release(10)
    writer = Writer(log, outcomes.reports.put)
    for name in "abc":
        outcomes.submit(writer, name)
    writer.stop()
    assert sorted(name for commit in log.commits for name in commit) == ["a", "b", "c"]
