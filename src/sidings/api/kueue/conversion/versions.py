"""The two versions, and a kind in v1beta1 made from the kind in v1beta2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sidings.api import schemas
from sidings.api.kind import Column, Conversion, Kind, Rules
from sidings.api.objects import Object

STORED = "kueue.x-k8s.io/v1beta2"
OLDER = "kueue.x-k8s.io/v1beta1"

Convert = Callable[[Object], Object]


def as_it_is(obj: Object) -> Object:
    """The content of kinds that are the same in both versions."""
    return obj


def view(stored: Kind, to_stored: Convert = as_it_is, from_stored: Convert = as_it_is, *columns: Column) -> Kind:
    """``stored`` under v1beta1; the functions convert everything but ``apiVersion``. ``columns``: where they differ."""
    resource = stored.resource._replace(version="v1beta1")
    schema = schemas.schema(resource.group, resource.version, resource.kind)

    def written(obj: Object) -> Object:
        return _versioned(to_stored(obj), STORED)

    def shown(obj: Object) -> Object:
        return _versioned(from_stored(obj), OLDER)

    return replace(
        stored,
        resource=resource,
        schema=schema,
        rules=Rules(),
        columns=columns or stored.columns,
        conversion=Conversion(stored, written, shown, str),
    )


def _versioned(obj: Object, version: str) -> Object:
    return {**obj, "apiVersion": version} if "apiVersion" in obj else obj
