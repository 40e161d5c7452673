"""One thread that makes writes durable, many at a time.

A commit costs one flush of the disk, however many rows it carries. So while the thread waits for the disk, further
writes queue up, and the next commit takes them all: sixteen writers share a flush instead of paying for sixteen.
Results go back to the event loop in the order of the revisions.

When a commit fails, everything queued behind it was decided on top of something that did not happen. So it is refused
as well, until the event loop has taken note and begun a new ``epoch``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from sidings.store.errors import StoreError
from sidings.store.log import Log, Row

MOST_WRITES_PER_COMMIT = 1024


class Batch:
    """The rows of one atomic write and how to hand back its outcome."""

    __slots__ = ("done", "epoch", "rows")

    def __init__(self, rows: Sequence[Row], epoch: int, done: Callable[[StoreError | None], None]) -> None:
        self.rows = rows
        self.epoch = epoch
        self.done = done


class Writer:
    """Commits batches to ``log`` on a thread of its own.

    ``deliver`` is called on that thread with a function to be run on the event loop's.
    """

    def __init__(self, log: Log, deliver: Callable[[Callable[[], None]], None]) -> None:
        self._log = log
        self._deliver = deliver
        self._queue: SimpleQueue[Batch | None] = SimpleQueue()
        self._epoch = 0
        self._failed: tuple[int, StoreError] | None = None
        """The last epoch that failed, and why; written and read by the thread only."""
        # A daemon: what is not yet committed is not acknowledged either, so an exit may drop it.
        self._thread = threading.Thread(target=self._run, name="sidings store", daemon=True)
        self._thread.start()

    def submit(self, rows: Sequence[Row], done: Callable[[StoreError | None], None]) -> None:
        """Make ``rows`` durable; then, on the event loop, ``done`` gets None or the error that left them undone."""
        self._queue.put(Batch(rows, self._epoch, done))

    def begin_epoch(self) -> None:
        """What is submitted from now on does not rest on what failed."""
        self._epoch += 1

    def stop(self) -> None:
        """Commit what is queued and end the thread."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            batches, last = self._next()
            if batches:
                self._commit(batches)
            if last:
                return

    def _next(self) -> tuple[list[Batch], bool]:
        """Everything that is queued, at least one batch or the order to stop."""
        first = self._queue.get()
        if first is None:
            return [], True
        batches = [first]
        while len(batches) < MOST_WRITES_PER_COMMIT:
            try:
                batch = self._queue.get_nowait()
            except Empty:
                break
            if batch is None:
                return batches, True
            batches.append(batch)
        return batches, False

    def _commit(self, batches: list[Batch]) -> None:
        failed = [batch for batch in batches if self._failed and batch.epoch == self._failed[0]]
        live = batches[len(failed) :]
        if live:
            try:
                self._log.append([row for batch in live for row in batch.rows])
            except StoreError as error:
                self._failed = (live[-1].epoch, error)
                failed = batches
                live = []
        failure = self._failed[1] if self._failed else None

        def report() -> None:
            for batch in failed:
                batch.done(failure)
            for batch in live:
                batch.done(None)

        self._deliver(report)
