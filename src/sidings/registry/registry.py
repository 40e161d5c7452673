"""The registry: every verb on every kind, for the server and for the in-process client alike.

A verb takes a ``Kind`` (from the catalog), a namespace (``""`` for cluster-scoped kinds and for lists over all
namespaces) and options. Objects go in as decoded JSON, which the registry copies; objects that come out are shared
with all readers and must not be changed. Failures are the classes of ``api.status``. Reads are memory and do not wait;
writes return when they are durable.
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

from sidings.api.catalog import Catalog
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import (
    DELETE_DEFAULTS,
    LIST_DEFAULTS,
    WRITE_DEFAULTS,
    DeleteOptions,
    ListOptions,
    WriteOptions,
)
from sidings.clock import Clock
from sidings.registry import conversion, create, delete, listing, patch, scale, subresources, update, watching
from sidings.registry.admission.plugin import Plugin
from sidings.registry.context import Context, prefix_for
from sidings.registry.listing import Item, Page
from sidings.registry.watching import Event
from sidings.store.store import Store

SCALE = "scale"
"""The subresource whose body is of another kind, which has no other version."""


class Registry:
    """The one door to objects."""

    def __init__(
        self, store: Store, catalog: Catalog, clock: Clock, rng: random.Random, *, admission: Sequence[Plugin] = ()
    ) -> None:
        """``admission`` is run in its order; ``rng`` makes uids and generated names."""
        self._context = Context(store, catalog, clock, rng, tuple(admission))

    @property
    def catalog(self) -> Catalog:
        """The kinds served; set it to serve others."""
        return self._context.catalog

    @catalog.setter
    def catalog(self, catalog: Catalog) -> None:
        self._context.catalog = catalog

    def get(
        self, kind: Kind, name: str, namespace: str = "", *, subresource: str = "", resource_version: str = ""
    ) -> Item:
        """The object and its encoded form; ``subresource`` may be ``status`` or ``scale`` where the kind has it.

        ``resource_version`` is the least version wanted: ``Timeout`` where it is not reached yet.
        """
        if view := kind.conversion:
            stored = self.get(view.stored, name, namespace, subresource=subresource, resource_version=resource_version)
            return stored if subresource == SCALE else conversion.item(view, stored)
        if subresource == SCALE and kind.scale:
            return scale.get(self._context, kind, name, namespace)
        return subresources.get(self._context, kind, name, namespace, subresource, resource_version)

    def list(self, kind: Kind, namespace: str = "", options: ListOptions = LIST_DEFAULTS) -> Page:
        """One page, sorted by namespace and name, consistent at its resource version."""
        if view := kind.conversion:
            return conversion.page(view, self.list(view.stored, namespace, conversion.selected(view, options)))
        return listing.list_page(self._context, kind, namespace, options)

    def dependents(self, kind: Kind, namespace: str, owner_kind: str, owner_name: str) -> Sequence[Item]:
        """What names that owner, of whatever uid, sorted; without an owner (``""``) what nobody controls."""
        if view := kind.conversion:
            stored = self.dependents(view.stored, namespace, owner_kind, owner_name)
            return [conversion.item(view, each) for each in stored]
        found = self._context.store.owned(prefix_for(kind.resource, namespace), (owner_kind, owner_name))
        return [listing.item_of(entry) for entry in found]

    def watch(self, kind: Kind, namespace: str = "", options: ListOptions = LIST_DEFAULTS) -> AsyncIterator[Event]:
        """Events after ``options.resource_version``; without one first an ADDED for each existing object.

        Errors in ``options`` are raised by the call itself, ``Expired`` by the iteration (kube-apiserver answers 200
        and sends it as an ERROR event). Ends after ``timeout_seconds``.
        """
        if view := kind.conversion:
            seen = self.watch(view.stored, namespace, conversion.selected(view, options))
            return conversion.events(view, seen)
        return watching.watch(self._context, kind, namespace, options)

    async def create(
        self, kind: Kind, obj: Object, namespace: str = "", options: WriteOptions = WRITE_DEFAULTS
    ) -> Object:
        if view := kind.conversion:
            wanted = conversion.written(self._context, kind, view, obj, options)
            return view.from_stored(await self.create(view.stored, wanted, namespace, replace(options, repeated=())))
        return await create.create(self._context, kind, obj, namespace, options)

    async def create_subresource(
        self,
        kind: Kind,
        name: str,
        subresource: str,
        obj: Object,
        namespace: str = "",
        options: WriteOptions = WRITE_DEFAULTS,
    ) -> Object:
        """POST to ``pods/binding`` or ``pods/eviction``; returns the Status that upstream answers."""
        if view := kind.conversion:
            kind = view.stored
        return await subresources.create(self._context, kind, name, subresource, obj, namespace, options)

    async def update(
        self,
        kind: Kind,
        name: str,
        obj: Object,
        namespace: str = "",
        options: WriteOptions = WRITE_DEFAULTS,
        *,
        subresource: str = "",
    ) -> Object:
        """PUT; with ``metadata.resourceVersion`` in ``obj`` it raises ``Conflict`` when somebody was faster."""
        if view := kind.conversion:
            if subresource == SCALE:
                return await self.update(view.stored, name, obj, namespace, options, subresource=subresource)
            wanted = conversion.written(self._context, kind, view, obj, options)
            options = replace(options, repeated=())
            made = await self.update(view.stored, name, wanted, namespace, options, subresource=subresource)
            return view.from_stored(made)
        if subresource == SCALE and kind.scale:
            return await scale.replace(self._context, kind, name, obj, namespace, options)
        return await update.update(self._context, kind, name, obj, namespace, options, subresource=subresource)

    async def patch(
        self,
        kind: Kind,
        name: str,
        body: Any,
        namespace: str = "",
        options: WriteOptions = WRITE_DEFAULTS,
        *,
        patch_type: str,
        subresource: str = "",
    ) -> tuple[Object, bool]:
        """PATCH with one of the four content types; the object, and whether an apply has created it.

        ``body`` is decoded JSON or YAML: a list for a JSON patch, else an object.
        """
        if view := kind.conversion:
            changes = body if subresource == SCALE else conversion.patched(view, body)
            made, created = await self.patch(
                view.stored, name, changes, namespace, options, patch_type=patch_type, subresource=subresource
            )
            return (made if subresource == SCALE else view.from_stored(made)), created
        if subresource == SCALE and kind.scale:
            made = await scale.change(self._context, kind, name, body, namespace, options, patch_type=patch_type)
            return made, False
        return await patch.patch(
            self._context, kind, name, body, namespace, options, patch_type=patch_type, subresource=subresource
        )

    async def delete(
        self, kind: Kind, name: str, namespace: str = "", options: DeleteOptions = DELETE_DEFAULTS
    ) -> Object:
        """The object while it lives on or where its kind returns it, else a ``Status`` of success."""
        if view := kind.conversion:
            answer = await self.delete(view.stored, name, namespace, options)
            return answer if answer["kind"] == "Status" else view.from_stored(answer)
        return await delete.delete(self._context, kind, name, namespace, options)

    async def delete_collection(
        self,
        kind: Kind,
        namespace: str = "",
        list_options: ListOptions = LIST_DEFAULTS,
        options: DeleteOptions = DELETE_DEFAULTS,
    ) -> Page:
        """Delete all that ``list_options`` selects; returns what was selected, as it was."""
        if view := kind.conversion:
            list_options = conversion.selected(view, list_options)
            return conversion.page(view, await self.delete_collection(view.stored, namespace, list_options, options))
        return await delete.delete_collection(self._context, kind, namespace, list_options, options)
