"""Which entries carry a label with a value, without looking at all of them.

A pod has some twenty labels, and most are never asked for; an index of all of them would weigh more than the pods. So a
label is indexed from the first question about it on, and of the labels of one resource only those asked for last.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from sidings.store.entries import Document, Entry

MOST_LABELS = 8
"""Of one resource. A question about another one costs a look at all entries, as every question would without."""

_Places = dict[tuple[str, str], set[str]]
"""Names by namespace and value of one label."""


class LabelIndex:
    """The entries of one resource by the labels that were asked for."""

    def __init__(self) -> None:
        self._labels: OrderedDict[str, _Places] = OrderedDict()

    def names(self, label: str, value: str, namespace: str, everything: Iterable[Entry]) -> set[str]:
        """Names of the entries in ``namespace`` whose ``label`` is ``value``; the answer is not to be changed.

        ``everything`` is read only for a label that is not indexed yet.
        """
        if label not in self._labels:
            places: _Places = {}
            for entry in everything:
                if (found := _value(entry.document, label)) is not None:
                    places.setdefault((entry.key[1], found), set()).add(entry.key[2])
            self._labels[label] = places
            if len(self._labels) > MOST_LABELS:
                self._labels.popitem(last=False)
        self._labels.move_to_end(label)
        return self._labels[label].get((namespace, value), set())

    def replace(self, before: Entry | None, after: Entry | None) -> None:
        """What was ``before`` is now ``after``; None where it is not there."""
        for label, places in self._labels.items():
            old = _value(before.document, label) if before else None
            new = _value(after.document, label) if after else None
            if old == new:
                continue
            if before is not None and old is not None:
                place = (before.key[1], old)
                places[place].discard(before.key[2])
                if not places[place]:
                    del places[place]
            if after is not None and new is not None:
                places.setdefault((after.key[1], new), set()).add(after.key[2])


def _value(document: Document, label: str) -> str | None:
    labels = document["metadata"].get("labels")
    return labels.get(label) if labels else None
