"""The store: what is durable, what is being made durable, and who wants to know.

Everything in memory belongs to one event loop, so nothing is locked. A write is decided at once against the state as it
will be when all writes before it are durable (``_pending`` over ``_index``), gets its revision, and goes to the log.
Only when the log says that it is on disk does it become visible to readers and watchers and is acknowledged: nobody can
ever see a state that a power cut takes back. If the log fails, that write and all that were decided on top of it fail
with the same error and leave no trace but a gap in the revisions.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import msgspec

from sidings.store import place
from sidings.store.entries import Change, Delete, Document, Entry, Key, Op, Owner, Prefix, Put
from sidings.store.errors import Closed, KeyChanged, StoreError
from sidings.store.history import DEFAULT_BYTES, History
from sidings.store.index import Index
from sidings.store.log import Log, MemoryLog, Row, SqliteLog
from sidings.store.values import Path as ValuePath
from sidings.store.watch import Watch
from sidings.store.writer import Writer

encode = msgspec.json.Encoder().encode
"""A document as it is stored and sent."""


class _Flight:
    """A write between decision and outcome."""

    __slots__ = ("changes", "outcome")

    def __init__(self, changes: list[Change], outcome: asyncio.Future[StoreError | None]) -> None:
        self.changes = changes
        self.outcome = outcome
        """Its result is None when the write is durable, or why it is not."""


class Store:
    """A durable map from keys to JSON documents. Make one with ``open`` or ``in_memory``; use it on one event loop."""

    def __init__(self, log: Log, *, threaded: bool, history_bytes: int = DEFAULT_BYTES) -> None:
        self._log = log
        self._history_bytes = history_bytes
        self._index = Index()
        self._pending: dict[Key, tuple[Entry | None, _Flight]] = {}
        """What keys in flight will hold; None for a deletion."""
        self._flights: OrderedDict[int, _Flight] = OrderedDict()
        self._histories: dict[str, History] = {}
        self._watches: dict[str, dict[Watch, None]] = {}
        """In the order in which they were opened, which is the order in which they hear of a change."""
        self._lock_file: int | None = None
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._revision, entries = log.load()
        self._decided = self._start = self._revision
        for entry in entries:
            self._index.put(entry)
        self._writer = Writer(log, self._deliver) if threaded else None

    @classmethod
    def open(cls, path: Path, *, history_bytes: int = DEFAULT_BYTES, mount_table: Path = place.MOUNT_TABLE) -> Self:
        """Open the database ``path``, made with its directory (0700) if missing, and lock it for this process.

        Raises ``StoreError``: ``ForeignOwner``, ``SharedFileSystem``, ``Locked``, ``Corrupt``, ``NewerFormat``,
        ``Unwritable`` or ``Full``.
        """
        path = path.absolute()
        place.prepare(path.parent, mount_table)
        lock_file = place.lock(path.with_name(path.name + ".lock"))
        try:
            store = cls(SqliteLog(path), threaded=True, history_bytes=history_bytes)
        except StoreError:
            os.close(lock_file)
            raise
        store._lock_file = lock_file
        return store

    @classmethod
    def in_memory(cls, *, history_bytes: int = DEFAULT_BYTES, log: Log | None = None) -> Self:
        """The same store without disk and thread: a write is done when ``write`` is first awaited."""
        return cls(log or MemoryLog(), threaded=False, history_bytes=history_bytes)

    @property
    def revision(self) -> int:
        """The revision of the last durable write."""
        return self._revision

    def get(self, key: Key) -> Entry | None:
        return self._index.get(key)

    def scan(self, prefix: Prefix, revision: int | None = None) -> list[Entry]:
        """All entries under ``prefix``, sorted by namespace and name; as of ``revision`` if that is given.

        Raises ``Compacted`` where the history does not reach back that far.
        """
        entries = self._live(prefix)
        if revision is None or revision >= self._revision:
            return entries
        return self._history(prefix[0]).rewind(entries, prefix, revision)

    def holding(self, prefix: Prefix, path: ValuePath, value: str) -> list[Entry]:
        """The entries under ``prefix`` with the text ``value`` at ``path``, sorted by namespace and name.

        Costs what it returns, but for the first question about a place.
        """
        namespaces = prefix[1:2] or self._index.namespaces(prefix[0])
        return [entry for space in namespaces for entry in self._index.holding(prefix[0], space, path, value)]

    def owned(self, prefix: Prefix, owner: Owner) -> list[Entry]:
        """The entries under ``prefix`` that name ``owner``, sorted by namespace and name; costs what it returns."""
        namespaces = prefix[1:2] or self._index.namespaces(prefix[0])
        return [entry for space in namespaces for entry in self._index.owned(prefix[0], space, owner)]

    async def write(self, ops: Sequence[Op]) -> list[Entry]:
        """Do ``ops``, all or none; returns the new entry of each (for a deletion its last state) once it is durable.

        Raises ``KeyChanged`` where a precondition does not hold in the durable state, ``Full`` or ``Unwritable``
        where the disk refuses, and ``Closed``. After an error none of ``ops`` has happened.
        """
        while True:
            if self._closed:
                raise Closed
            blocker = self._check(ops)
            if blocker is None:
                break
            # The precondition fails against a write that is not durable yet. What to answer depends on its outcome.
            await asyncio.wait([blocker.outcome])
        changes = self._decide(ops)
        if self._writer is None:
            self._log.append(_rows(changes))
            self._publish(changes)
        else:
            await self._fly(changes, self._writer)
        return [change.entry for change in changes]

    def watch(self, prefix: Prefix, after: int) -> Watch:
        """Changes under ``prefix`` after revision ``after``; raises ``Compacted`` where that is too old.

        A revision of the future is no error: the watch stays silent until then. Close the watch after use.
        """
        if self._closed:
            raise Closed
        backlog = [c for c in self._history(prefix[0]).after(after) if c.entry.key[: len(prefix)] == prefix]
        watches = self._watches.setdefault(prefix[0], {})
        watch = Watch(prefix, after, backlog, self._history_bytes, lambda closed: watches.pop(closed, None))
        watches[watch] = None
        return watch

    def sizes(self) -> dict[str, int]:
        """How many live entries each resource has."""
        return self._index.sizes()

    def oldest(self, resource: str) -> int:
        """The oldest revision that ``watch`` and ``scan`` accept for ``resource``."""
        return self._history(resource).floor

    async def close(self) -> None:
        """Wait for writes in flight, end all watches, release the file."""
        if self._closed:
            return
        self._closed = True
        if self._flights:
            await asyncio.wait([flight.outcome for flight in self._flights.values()])
        if self._writer is not None:
            self._writer.stop()
        self._log.close()
        for watches in self._watches.values():
            for watch in list(watches):
                watch.end(Closed())
        if self._lock_file is not None:
            os.close(self._lock_file)

    def _live(self, prefix: Prefix) -> list[Entry]:
        namespaces = prefix[1:2] or self._index.namespaces(prefix[0])
        entries: list[Entry] = []
        for namespace in namespaces:
            names = self._index.names(prefix[0], namespace)
            if names is not None:
                entries += names.in_order()
        return entries

    def _history(self, resource: str) -> History:
        return self._histories.setdefault(resource, History(self._start, self._history_bytes))

    def _held(self, key: Key) -> Entry | None:
        """What ``key`` will hold when everything in flight has landed."""
        if key in self._pending:
            return self._pending[key][0]
        return self._index.get(key)

    def _check(self, ops: Sequence[Op]) -> _Flight | None:
        """None if all preconditions hold; the flight to wait for if one of them depends on it; else ``KeyChanged``."""
        for op in ops:
            held = self._held(op.key)
            at = held.revision if held else 0
            if (op.expected is None or op.expected == at) and (held is not None or isinstance(op, Put)):
                continue
            if op.key in self._pending:
                return self._pending[op.key][1]
            raise KeyChanged(op.key, op.expected or 0, held)
        return None

    def _decide(self, ops: Sequence[Op]) -> list[Change]:
        changes = []
        for op in ops:
            self._decided += 1
            held = self._held(op.key)
            if isinstance(op, Delete):
                assert held is not None, "checked before"
                document = op.final or {**held.document, "metadata": dict(held.document["metadata"])}
            else:
                document = op.document
            entry = _entry(op.key, self._decided, document)
            changes.append(Change(entry, held, isinstance(op, Delete)))
        return changes

    async def _fly(self, changes: list[Change], writer: Writer) -> None:
        self._loop = asyncio.get_running_loop()
        flight = _Flight(changes, self._loop.create_future())
        number = changes[-1].revision
        self._flights[number] = flight
        for change in changes:
            self._pending[change.entry.key] = (None if change.deleted else change.entry, flight)
        writer.submit(_rows(changes), lambda failure: self._land(number, failure, writer))
        # Shielded: a caller that gives up does not undo what the disk already has.
        failure = await asyncio.shield(flight.outcome)
        if failure is not None:
            raise failure.with_traceback(None)

    def _deliver(self, report: Callable[[], None]) -> None:
        assert self._loop is not None, "only a loop submits"
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(report)

    def _land(self, number: int, failure: StoreError | None, writer: Writer) -> None:
        if number not in self._flights:
            return
        if failure is not None:
            # All that is in flight rests on the failed write, or is refused by the writer for its sake.
            writer.begin_epoch()
            self._pending.clear()
            while self._flights:
                self._flights.popitem(last=False)[1].outcome.set_result(failure)
            return
        flight = self._flights.pop(number)
        for change in flight.changes:
            if self._pending[change.entry.key][1] is flight:
                del self._pending[change.entry.key]
        self._publish(flight.changes)
        flight.outcome.set_result(None)

    def _publish(self, changes: list[Change]) -> None:
        for change in changes:
            entry = change.entry
            resource = entry.key[0]
            if change.deleted:
                self._index.remove(entry.key)
            else:
                self._index.put(entry)
            self._revision = entry.revision
            self._history(resource).add(change)
            for watch in list(self._watches.get(resource, ())):
                watch.offer(change)


def _entry(key: Key, revision: int, document: Document) -> Entry:
    document["metadata"]["resourceVersion"] = str(revision)
    return Entry(key, revision, document, encode(document))


def _rows(changes: Sequence[Change]) -> list[Row]:
    return [Row(c.entry.key, c.revision, None if c.deleted else c.entry.data) for c in changes]
