"""What the store holds: a key, a revision, a JSON document; and what can be done to it.

A document is kept in both forms that readers want: decoded (shared, never to be changed) and encoded (what goes to disk
and over the wire). The store knows its ``metadata`` alone: ``resourceVersion``, which it sets to the revision of the
write, so that the two can never differ, and ``ownerReferences`` and ``labels``, by which it finds entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

Document = dict[str, Any]

Key = tuple[str, str, str]
"""``(resource, namespace, name)``; ``namespace`` is ``""`` for what has none."""

Prefix = tuple[str, ...]
"""``(resource,)`` or ``(resource, namespace)``."""

Owner = tuple[str, str]
"""``(kind, name)`` as an ownerReference gives them."""
NOBODY: Owner = ("", "")
"""The owner of what no reference names a controller for."""


def owners_of(document: Document) -> list[Owner]:
    """All owners of ``document``, and ``NOBODY`` where none of them controls it."""
    references = document["metadata"].get("ownerReferences") or ()
    owners = [(reference["kind"], reference["name"]) for reference in references]
    return owners if any(reference.get("controller") for reference in references) else [*owners, NOBODY]


@dataclass(frozen=True, slots=True)
class Entry:
    """One document as of one revision."""

    key: Key
    revision: int
    document: Document
    data: bytes


class Put(NamedTuple):
    """Store ``document``, which the store takes over, under ``key``.

    ``expected`` is the revision the key must be at: 0 where it must not exist, None where it does not matter.
    """

    key: Key
    document: Document
    expected: int | None = None


class Delete(NamedTuple):
    """Remove ``key``; it must exist. ``final`` is its last state for watchers, by default what was stored."""

    key: Key
    expected: int | None = None
    final: Document | None = None


Op = Put | Delete


class Change(NamedTuple):
    """One durable step of the history. For a deletion, ``entry`` is the last state at the deletion's revision."""

    entry: Entry
    previous: Entry | None
    deleted: bool

    @property
    def revision(self) -> int:
        return self.entry.revision
