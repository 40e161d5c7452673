"""How a schema divides an object into fields: what is one piece and what has parts of its own.

``x-kubernetes-map-type: atomic`` makes a map one piece, ``x-kubernetes-list-type`` says what a list is; without it
``x-kubernetes-patch-strategy: merge`` makes a list a set or, with a merge key, a keyed list, and every other list is
one piece. Where the schema says nothing (preserved unknown fields) maps have parts and lists do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidings.api.apply import fieldset
from sidings.api.kind import Schema

ANYTHING: Schema = {"x-kubernetes-preserve-unknown-fields": True}


def is_declared(schema: Schema, name: str) -> bool:
    """Whether ``name`` is a field of a struct, in contrast to a key of a map."""
    return name in (schema.get("properties") or ())


def member(schema: Schema, name: str) -> Schema | None:
    """The schema of a map's member, or None where there can be none of that name."""
    properties = schema.get("properties")
    if properties and name in properties:
        found: Schema = properties[name]
        return found
    additional = schema.get("additionalProperties")
    if isinstance(additional, dict):
        return additional
    return ANYTHING if additional is True or is_open(schema) else None


def is_open(schema: Schema) -> bool:
    """Whether a map may hold what the schema does not name."""
    return bool(schema.get("x-kubernetes-preserve-unknown-fields")) or not (
        schema.get("properties") or schema.get("additionalProperties")
    )


def is_one_piece(schema: Schema) -> bool:
    """Whether a map is atomic."""
    return schema.get("x-kubernetes-map-type") == "atomic"


def items(schema: Schema) -> Schema:
    found = schema.get("items")
    return found if isinstance(found, dict) else ANYTHING


def list_keys(schema: Schema) -> tuple[str, ...] | None:
    """The keys of a keyed list, ``()`` for a set of scalars, None for a list that is one piece."""
    match schema.get("x-kubernetes-list-type"):
        case "map":
            return tuple(schema.get("x-kubernetes-list-map-keys") or ())
        case "set":
            return ()
        case None:
            if "merge" in str(schema.get("x-kubernetes-patch-strategy") or "").split(","):
                merge_key = schema.get("x-kubernetes-patch-merge-key")
                return (str(merge_key),) if merge_key else ()
    return None


def element(item: Any, schema: Schema, keys: tuple[str, ...]) -> str:
    """The path element of one item of a list with ``schema`` and :func:`list_keys` ``keys``.

    Raises ``ValueError``, in upstream's words, for an item that cannot be one.
    """
    if not keys:
        if item is None:
            raise ValueError("associative list without keys has an element that's an explicit null")
        if isinstance(item, dict):
            raise ValueError("associative list without keys has an element that's a map type")
        if isinstance(item, list):
            raise ValueError("not supporting lists of lists")
        return fieldset.value(item)
    if item is None:
        raise ValueError("associative list with keys may not have a null element")
    if not isinstance(item, dict):
        raise ValueError("associative list with keys may not have non-map elements")
    properties = items(schema).get("properties") or {}
    found: dict[str, Any] = {}
    for name in keys:
        default = (properties.get(name) or {}).get("default")
        if name in item:
            found[name] = item[name]
        elif default is not None:
            found[name] = default
    if not found:
        quoted = " ".join(f'"{name}"' for name in keys)
        raise ValueError(
            f"associative list with keys has an element that omits all key fields [{quoted}] "
            "(and doesn't have default values for any key fields)"
        )
    return fieldset.key(found)


def elements(values: Sequence[Any], schema: Schema) -> list[str] | None:
    """The path elements of a list's items; None where the list is one piece, or has an item that cannot be a part."""
    keys = list_keys(schema)
    if keys is None:
        return None
    try:
        return [element(item, schema, keys) for item in values]
    except ValueError:
        return None
