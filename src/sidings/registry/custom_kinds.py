"""The kinds that CustomResourceDefinitions add to those we serve anyway.

A definition is served from the moment its write is durable, because the registry asks here after every write of one;
so whoever gets the answer to ``kubectl apply -f crd.yaml`` can use the kind with the next request. A definition of a
kind that we serve ourselves (JobSet's own, for one) may be applied like any other and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sidings.api.catalog import Catalog
from sidings.api.kind import Kind
from sidings.api.kinds import custom_resource_definition
from sidings.api.objects import Object


class CustomKinds:
    """Remembers the kinds of each version of each definition, so that only what has changed is read anew."""

    def __init__(self, own: Catalog) -> None:
        """``own`` are the kinds that are served without a definition."""
        self._own = own
        self._taken = {(kind.resource.group, kind.resource.plural) for kind in own}
        self._known: dict[tuple[str, str], list[Kind]] = {}

    def catalog(self, definitions: Iterable[Object]) -> Catalog:
        """Everything that is served while ``definitions`` are stored."""
        known: dict[tuple[str, str], list[Kind]] = {}
        for definition in definitions:
            version = (definition["metadata"]["uid"], definition["metadata"]["resourceVersion"])
            known[version] = self._known.get(version) or list(self._kinds(definition))
        self._known = known
        added = [kind for kinds in known.values() for kind in kinds]
        return self._own.with_kinds(added) if added else self._own

    def _kinds(self, definition: Object) -> Iterator[Kind]:
        spec = definition["spec"]
        if (spec["group"], spec["names"]["plural"]) not in self._taken:
            yield from custom_resource_definition.kinds_of(definition)
