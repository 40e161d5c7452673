"""An admission plug-in's view of other objects, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sidings.api.objects import Key, Object, key_of, labels_of
from sidings.api.resources import Resource
from sidings.api.status import NotFound


@dataclass
class MemoryReader:
    """A ``Reader`` over the objects that a test puts in."""

    there: dict[tuple[Resource, Key], Object] = field(default_factory=dict)

    def add(self, resource: Resource, obj: Object) -> None:
        self.there[resource, key_of(obj)] = obj

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        try:
            return self.there[resource, Key(namespace, name)]
        except KeyError:
            raise NotFound(f'{resource.group_resource} "{name}" not found') from None

    def list(self, resource: Resource, namespace: str = "") -> list[Object]:
        return [obj for (kind, key), obj in self.there.items() if kind == resource and namespace in ("", key.namespace)]

    def labelled(self, resource: Resource, namespace: str, label: str, value: str) -> Sequence[Object]:
        return [obj for obj in self.list(resource, namespace) if labels_of(obj).get(label) == value]
