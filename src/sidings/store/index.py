"""The live entries in memory: by resource, namespace and name, by owner, and by value.

Lists are the reason for its shape: they want one namespace or all of them, in order of name, and must not sort
thousands of keys each time. So the entries of a namespace are kept sorted; inserting one moves pointers, not objects.
Controllers want the few entries of one owner, one label or one field out of thousands, each time they look.
"""

from __future__ import annotations

from bisect import bisect_left

from sidings.store.entries import Entry, Key, Owner, owners_of
from sidings.store.values import Path, ValueIndex


class Names:
    """The entries of one resource in one namespace."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._entries: list[Entry] = []

    def put(self, name: str, entry: Entry) -> None:
        place = bisect_left(self._names, name)
        if place < len(self._names) and self._names[place] == name:
            self._entries[place] = entry
        else:
            self._names.insert(place, name)
            self._entries.insert(place, entry)

    def remove(self, name: str) -> None:
        place = bisect_left(self._names, name)
        del self._names[place]
        del self._entries[place]

    def in_order(self) -> list[Entry]:
        return list(self._entries)

    def __len__(self) -> int:
        return len(self._names)


class Index:
    """All live entries."""

    def __init__(self) -> None:
        self._by_key: dict[Key, Entry] = {}
        self._resources: dict[str, dict[str, Names]] = {}
        self._owned: dict[tuple[str, str, Owner], set[str]] = {}
        """Names by resource, namespace and owner."""
        self._values: dict[str, ValueIndex] = {}

    def get(self, key: Key) -> Entry | None:
        return self._by_key.get(key)

    def put(self, entry: Entry) -> None:
        resource, namespace, name = entry.key
        before = self._by_key.get(entry.key)
        self._by_key[entry.key] = entry
        self._resources.setdefault(resource, {}).setdefault(namespace, Names()).put(name, entry)
        if values := self._values.get(resource):
            values.replace(before, entry)
        if before is None or owners_of(before.document) != owners_of(entry.document):
            if before is not None:
                self._unlink(before)
            self._link(entry)

    def remove(self, key: Key) -> None:
        resource, namespace, name = key
        entry = self._by_key.pop(key)
        self._unlink(entry)
        if values := self._values.get(resource):
            values.replace(entry, None)
        names = self._resources[resource][namespace]
        names.remove(name)
        if not names:
            del self._resources[resource][namespace]

    def sizes(self) -> dict[str, int]:
        """How many entries each resource has that has or had any."""
        return {resource: sum(map(len, names.values())) for resource, names in sorted(self._resources.items())}

    def namespaces(self, resource: str) -> list[str]:
        """The namespaces in which ``resource`` has entries, sorted."""
        return sorted(self._resources.get(resource, ()))

    def names(self, resource: str, namespace: str) -> Names | None:
        return self._resources.get(resource, {}).get(namespace)

    def owned(self, resource: str, namespace: str, owner: Owner) -> list[Entry]:
        """The entries that name ``owner``, sorted by name."""
        names = self._owned.get((resource, namespace, owner), ())
        return [self._by_key[resource, namespace, name] for name in sorted(names)]

    def holding(self, resource: str, namespace: str, path: Path, value: str) -> list[Entry]:
        """The entries with the text ``value`` at ``path``, sorted by name."""
        everything = (entry for names in self._resources.get(resource, {}).values() for entry in names.in_order())
        found = self._values.setdefault(resource, ValueIndex()).names(path, value, namespace, everything)
        return [self._by_key[resource, namespace, name] for name in sorted(found)]

    def _link(self, entry: Entry) -> None:
        resource, namespace, name = entry.key
        for owner in owners_of(entry.document):
            self._owned.setdefault((resource, namespace, owner), set()).add(name)

    def _unlink(self, entry: Entry) -> None:
        resource, namespace, name = entry.key
        for owner in set(owners_of(entry.document)):
            names = self._owned[resource, namespace, owner]
            names.discard(name)
            if not names:
                del self._owned[resource, namespace, owner]
