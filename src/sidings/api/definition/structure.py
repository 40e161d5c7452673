"""Structural schemas: every part has one type, so that pruning, defaulting and apply know what they look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api import go_regexp, structural
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required

TYPES = ("array", "boolean", "integer", "number", "object", "string")
_ANY_TYPE = ("x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")
"""Extensions with which a part may be without a type."""
_METADATA_MAY_SAY = frozenset(("type", "properties", "description", "x-kubernetes-map-type"))
_QUADRATIC = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"


def errors(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """Why ``schema`` at ``path`` (``spec.versions[0].schema.openAPIV3Schema``) is not structural."""
    if not schema.get("type"):
        yield required(f"{path}.type", "must not be empty at the root")
    elif schema["type"] != "object":
        yield invalid(f"{path}.type", schema["type"], "must be object at the root")
    metadata = (schema.get("properties") or {}).get("metadata")
    if metadata and not _METADATA_MAY_SAY.issuperset(metadata):
        detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield forbidden(f"{path}.properties[metadata]", detail)
    yield from _part(schema, path)


def _part(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    yield from _unsupported(schema, path)
    yield from _patterns(schema, path)
    properties, additional, items = (schema.get(name) for name in ("properties", "additionalProperties", "items"))
    if properties and additional is not None:
        yield forbidden(path, "additionalProperties and properties are mutual exclusive")
    for name, each in (properties or {}).items():
        yield from _child(each, f"{path}.properties[{name}]", "must not be empty for specified object fields")
    if isinstance(additional, Mapping):
        yield from _child(additional, f"{path}.additionalProperties", "must not be empty for specified object fields")
    if isinstance(items, Mapping):
        yield from _child(items, f"{path}.items", "must not be empty for specified array items")
    elif schema.get("type") == "array":
        yield required(f"{path}.items", "must be specified")
    yield from _list_keys(schema, path)
    if "default" in schema and not _refused_types(schema):
        yield from structural.validate(schema, schema["default"], f"{path}.default")


def _patterns(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """The pattern of this part, and those that its combinations ask of it and of what is below."""
    if schema.get("pattern"):
        try:
            go_regexp.expression(schema["pattern"])
        except go_regexp.InvalidPattern as error:
            detail = f"must be a valid regular expression, but isn't: {error}"
            yield invalid(f"{path}.pattern", schema["pattern"], detail)
    for name in ("allOf", "anyOf", "oneOf"):
        for index, each in enumerate(schema.get(name) or ()):
            yield from _patterns_below(each, f"{path}.{name}[{index}]")
    if schema.get("not"):
        yield from _patterns_below(schema["not"], f"{path}.not")


def _patterns_below(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    yield from _patterns(schema, path)
    for name, each in (schema.get("properties") or {}).items():
        yield from _patterns_below(each, f"{path}.properties[{name}]")
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), Mapping):
            yield from _patterns_below(schema[name], f"{path}.{name}")


def _child(schema: Mapping[str, Any], path: str, detail: str) -> Iterator[FieldError]:
    if not schema.get("type") and not any(schema.get(name) for name in _ANY_TYPE):
        yield required(f"{path}.type", detail)
    yield from _part(schema, path)


def _refused_types(schema: Mapping[str, Any]) -> bool:
    return bool(schema.get("type")) and schema["type"] not in TYPES


def _unsupported(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    if _refused_types(schema):
        yield not_supported(f"{path}.type", schema["type"], TYPES)
    if schema.get("uniqueItems"):
        yield forbidden(f"{path}.uniqueItems", _QUADRATIC)
    if schema.get("additionalProperties") is False:
        yield forbidden(f"{path}.additionalProperties", "additionalProperties cannot be set to false")
    if schema.get("$ref"):
        yield forbidden(f"{path}.$ref", "$ref is not supported")
    for name in ("definitions", "dependencies", "patternProperties"):
        if schema.get(name):
            yield forbidden(f"{path}.{name}", f"{name} is not supported")
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")


def _list_keys(schema: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    """A list that is a map has keys, and its items have them as properties."""
    list_type, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys")
    where = f"{path}.x-kubernetes-list-map-keys"
    if list_type is not None and list_type not in ("atomic", "set", "map"):
        yield not_supported(f"{path}.x-kubernetes-list-type", list_type, ("atomic", "set", "map"))
    if list_type == "map" and not keys:
        yield required(where, "must not be empty if x-kubernetes-list-type is map")
    if keys and list_type != "map":
        yield invalid(
            f"{path}.x-kubernetes-list-type", list_type, "must be map if x-kubernetes-list-map-keys is non-empty"
        )
    items = schema.get("items")
    if list_type != "map" or not isinstance(items, Mapping):
        return
    known, must = items.get("properties") or {}, items.get("required") or ()
    for index, key in enumerate(keys or ()):
        if key not in known:
            yield invalid(f"{where}[{index}]", key, "entries must all be names of item properties")
        elif key not in must and "default" not in known[key]:
            detail = (
                "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            )
            yield required(f"{path}.items.properties[{key}].default", detail)
