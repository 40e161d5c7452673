"""One reader of changes, with a bounded queue of its own.

A reader that is slower than the writers must cost neither their speed nor unbounded memory. So what waits for it is
bounded; when it falls further behind, its queue is dropped and it gets ``Compacted``, as if it had come back too late:
it lists again and goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from sidings.store.entries import Change, Prefix
from sidings.store.errors import Compacted, StoreError


class Watch:
    """Changes under one prefix, in order of revision. Made by ``Store.watch``; a context manager that closes it."""

    def __init__(
        self,
        prefix: Prefix,
        after: int,
        backlog: Sequence[Change],
        max_bytes: int,
        forget: Callable[[Watch], None],
    ) -> None:
        self._prefix = prefix
        self._after = after
        self._queue: list[Change] = []
        self._bytes = 0
        self._max_bytes = max_bytes
        self._forget = forget
        self._failure: StoreError | None = None
        self._wake = asyncio.Event()
        for change in backlog:
            self._append(change)

    @property
    def idle(self) -> bool:
        """Whether everything durable has been handed out, so that the reader is at the store's own revision."""
        return not self._queue and self._failure is None

    async def batch(self) -> list[Change]:
        """All changes since the last call, at least one; waits for it.

        Raises ``Compacted`` when the reader was too slow and ``Closed`` when the store is closed. Cancelling a call
        loses nothing.
        """
        await self._wake.wait()
        if self._failure is not None:
            raise self._failure
        self._wake.clear()
        changes, self._queue, self._bytes = self._queue, [], 0
        return changes

    def offer(self, change: Change) -> None:
        """Called by the store for every durable change of the resource."""
        if change.revision > self._after and change.entry.key[: len(self._prefix)] == self._prefix:
            self._append(change)
            if self._bytes > self._max_bytes and len(self._queue) > 1:
                self.end(Compacted(self._queue[0].revision - 1, change.revision))

    def end(self, failure: StoreError) -> None:
        """The reader gets ``failure`` instead of what waits for it."""
        self._failure = failure
        self._queue.clear()
        self._wake.set()
        self.close()

    def close(self) -> None:
        self._forget(self)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _append(self, change: Change) -> None:
        self._queue.append(change)
        self._bytes += len(change.entry.data)
        self._wake.set()
