"""Recent changes of one resource, for watches that resume and lists that continue.

The history is bounded by the encoded size of what it keeps alive. It begins where the engine started: what happened
before is not known, and asking for it raises ``Compacted``, which clients of a Kubernetes API answer with a new list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import islice

from sidings.store.entries import Change, Entry, Prefix
from sidings.store.errors import Compacted

DEFAULT_BYTES = 8 << 20
"""Per resource; about 4,000 changes of a 2 KB pod, and decoded some 40 MB."""


class History:
    """Changes of one resource in order of revision."""

    def __init__(self, floor: int, max_bytes: int = DEFAULT_BYTES) -> None:
        """``floor``: everything after this revision is known."""
        self.floor = floor
        self._max_bytes = max_bytes
        self._bytes = 0
        self._changes: deque[Change] = deque()

    def add(self, change: Change) -> None:
        self._changes.append(change)
        self._bytes += _cost(change)
        while self._bytes > self._max_bytes and len(self._changes) > 1:
            oldest = self._changes.popleft()
            self._bytes -= _cost(oldest)
            self.floor = oldest.revision

    def after(self, revision: int) -> Iterator[Change]:
        """All changes after ``revision``; raises ``Compacted`` where some of them are no longer known."""
        if revision < self.floor:
            raise Compacted(revision, self.floor)
        start = bisect_right(self._changes, revision, key=lambda change: change.revision)
        return islice(self._changes, start, None)

    def rewind(self, entries: Iterable[Entry], prefix: Prefix, revision: int) -> list[Entry]:
        """The ``entries`` under ``prefix`` as they were at ``revision``, sorted by key; raises ``Compacted``."""
        then = {entry.key: entry for entry in entries}
        for change in reversed(list(self.after(revision))):
            key = change.entry.key
            if key[: len(prefix)] != prefix:
                continue
            if change.previous is None:
                then.pop(key, None)
            else:
                then[key] = change.previous
        return [then[key] for key in sorted(then)]


def _cost(change: Change) -> int:
    return len(change.entry.data) + (len(change.previous.data) if change.previous else 0)
