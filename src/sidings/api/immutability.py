"""Fields that a schema declares immutable: the CEL rule ``self == oldSelf`` of CustomResources.

As in the API server such a rule looks only where the field is on both sides, so an optional field can be added or
removed as a whole. Inside lists it follows items from the old to the new object by their map keys; items of atomic
lists have no identity, so nothing below them is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api.fields import FieldError, broken_rule
from sidings.api.kind import Schema

RULE = "self == oldSelf"


def changes(schema: Schema, new: Any, old: Any, path: str = "") -> Iterator[FieldError]:
    """One error per immutable field that differs, parents before children."""
    for rule in schema.get("x-kubernetes-validations") or ():
        if rule["rule"] == RULE and not _same(schema, new, old):
            yield broken_rule(path, new, rule["message"])
    if isinstance(new, dict) and isinstance(old, dict):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        others = schema.get("additionalProperties")
        for name, value in new.items():
            child = properties.get(name, others)
            if isinstance(child, Mapping) and old.get(name) is not None and value is not None:
                yield from changes(child, value, old[name], f"{path}.{name}" if path else name)
    elif isinstance(new, list) and isinstance(old, list) and (keys := schema.get("x-kubernetes-list-map-keys")):
        before = {_key(item, keys): item for item in old}
        for index, item in enumerate(new):
            if (was := before.get(_key(item, keys))) is not None:
                yield from changes(schema["items"], item, was, f"{path}[{index}]")


def _same(schema: Schema, new: Any, old: Any) -> bool:
    """Equality as CEL sees it: the order of a list with map keys does not matter."""
    keys = schema.get("x-kubernetes-list-map-keys")
    if keys and isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and {_key(i, keys): i for i in new} == {_key(i, keys): i for i in old}
    return bool(new == old)


def _key(item: Any, keys: list[str]) -> tuple[Any, ...]:
    return tuple(item.get(key) for key in keys)
