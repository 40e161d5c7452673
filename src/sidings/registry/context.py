"""What all verbs share: where objects are, what they are, and what time it is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sidings.api.catalog import Catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.resources import CRDS, Resource
from sidings.api.status import InternalError, NotFound
from sidings.clock import Clock
from sidings.registry.admission.plugin import Plugin
from sidings.registry.custom_kinds import CustomKinds
from sidings.store.entries import Entry, Key, Op
from sidings.store.errors import KeyChanged, StoreError
from sidings.store.store import Store


@dataclass
class Context:
    """The registry's parts; also the ``Reader`` that admission plug-ins get."""

    store: Store
    catalog: Catalog
    clock: Clock
    rng: random.Random
    plugins: tuple[Plugin, ...]

    def __post_init__(self) -> None:
        self._custom = CustomKinds(self.catalog)
        self._read_definitions()

    def _read_definitions(self) -> None:
        self.catalog = self._custom.catalog(self.list(CRDS))

    def now(self) -> datetime:
        return self.clock.now()

    def entry(self, kind: Kind, name: str, namespace: str) -> Entry:
        """Raises ``NotFound``."""
        entry = self.store.get(key_for(kind.resource, name, namespace))
        if entry is None:
            raise not_found(kind.resource, name)
        return entry

    async def write(self, op: Op) -> Object:
        """Do ``op`` durably; returns what is stored then, or the last state of what is gone.

        Raises ``KeyChanged`` where somebody was faster, and ``InternalError``, as kube-apiserver does when etcd
        refuses, where the disk does not take it.
        """
        try:
            (entry,) = await self.store.write([op])
        except KeyChanged:
            raise
        except StoreError as error:
            told = ": ".join(part for part in ("Internal error occurred", error.what, error.cause) if part)
            raise InternalError(f"{told} (mend it: {error.remedy})" if error.remedy else told) from error
        if entry.key[0] == CRDS.group_resource:
            self._read_definitions()
        return entry.document

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        """Raises ``NotFound``."""
        entry = self.store.get(key_for(resource, name, namespace))
        if entry is None:
            raise not_found(resource, name)
        return entry.document

    def list(self, resource: Resource, namespace: str = "") -> list[Object]:
        """All objects of ``namespace`` (``""``: of all namespaces), sorted by namespace and name."""
        return [entry.document for entry in self.store.scan(prefix_for(resource, namespace))]

    def labelled(self, resource: Resource, namespace: str, label: str, value: str) -> Sequence[Object]:
        """Those of them that carry a label with a value; costs what it returns."""
        path = ("metadata", "labels", label)
        return [entry.document for entry in self.store.holding(prefix_for(resource, namespace), path, value)]


def key_for(resource: Resource, name: str, namespace: str) -> Key:
    """Where an object is stored: one place for all versions of its resource."""
    return (resource.group_resource, namespace if resource.namespaced else "", name)


def prefix_for(resource: Resource, namespace: str) -> tuple[str, ...]:
    return (resource.group_resource, namespace) if namespace and resource.namespaced else (resource.group_resource,)


def not_found(resource: Resource, name: str) -> NotFound:
    return NotFound(
        f'{resource.group_resource} "{name}" not found', name=name, group=resource.group, kind=resource.plural
    )
