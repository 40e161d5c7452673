"""Which entries have a value in a place, a label for the most part, without looking at all of them.

A pod has some twenty labels, and most are never asked for; an index of all of them would weigh more than the pods. So a
place is indexed from the first question about it on, and of the places of one resource only those asked for last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from sidings.store.entries import Document, Entry

MOST_PLACES = 8
"""Of one resource. A question about another one costs a look at all entries, as every question would without."""

Path = tuple[str, ...]
"""Where a value is: ``("metadata", "labels", "app")``."""

_Names = dict[tuple[str, str], set[str]]
"""Names by namespace and value in one place."""


class ValueIndex:
    """The entries of one resource by the places that were asked for."""

    def __init__(self) -> None:
        self._places: OrderedDict[Path, _Names] = OrderedDict()

    def names(self, path: Path, value: str, namespace: str, everything: Iterable[Entry]) -> set[str]:
        """Names of the entries in ``namespace`` with the text ``value`` at ``path``; the answer is not to be changed.

        ``everything`` is read only for a place that is not indexed yet.
        """
        if path not in self._places:
            names: _Names = {}
            for entry in everything:
                if (found := _value(entry.document, path)) is not None:
                    names.setdefault((entry.key[1], found), set()).add(entry.key[2])
            self._places[path] = names
            if len(self._places) > MOST_PLACES:
                self._places.popitem(last=False)
        self._places.move_to_end(path)
        return self._places[path].get((namespace, value), set())

    def replace(self, before: Entry | None, after: Entry | None) -> None:
        """What was ``before`` is now ``after``; None where it is not there."""
        for path, names in self._places.items():
            old = _value(before.document, path) if before else None
            new = _value(after.document, path) if after else None
            if old == new:
                continue
            if before is not None and old is not None:
                place = (before.key[1], old)
                names[place].discard(before.key[2])
                if not names[place]:
                    del names[place]
            if after is not None and new is not None:
                names.setdefault((after.key[1], new), set()).add(after.key[2])


def _value(document: Document, path: Path) -> str | None:
    value: Any = document
    for step in path:
        value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, str) else None
