"""The live entries in memory, by resource, namespace and name.

Lists are the reason for its shape: they want one namespace or all of them, in order of name, and must not sort
thousands of keys each time. So the entries of a namespace are kept sorted; inserting one moves pointers, not objects.
"""

from __future__ import annotations

from bisect import bisect_left

from sidings.store.entries import Entry, Key


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

    def get(self, key: Key) -> Entry | None:
        return self._by_key.get(key)

    def put(self, entry: Entry) -> None:
        resource, namespace, name = entry.key
        self._by_key[entry.key] = entry
        self._resources.setdefault(resource, {}).setdefault(namespace, Names()).put(name, entry)

    def remove(self, key: Key) -> None:
        resource, namespace, name = key
        del self._by_key[key]
        names = self._resources[resource][namespace]
        names.remove(name)
        if not names:
            del self._resources[resource][namespace]

    def namespaces(self, resource: str) -> list[str]:
        """The namespaces in which ``resource`` has entries, sorted."""
        return sorted(self._resources.get(resource, ()))

    def names(self, resource: str, namespace: str) -> Names | None:
        return self._resources.get(resource, {}).get(namespace)
