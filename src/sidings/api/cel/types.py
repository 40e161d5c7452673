"""The types of CEL, and those that a schema gives to values.

A schema's type also knows how large a value can be that fits into a request (``most``, ``least_bytes``): the estimate
of costs rests on it. Rules and figures are those of ``k8s.io/apiserver/pkg/cel/common/schemas.go`` and ``limits.go``
(v1.36). What a schema does not describe (``x-kubernetes-preserve-unknown-fields``) does not exist for rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sidings.api.kind import Schema

REQUEST_BYTES = 3 * 1024 * 1024
_STRING_BYTES, _BOOL_BYTES, _NUMBER_BYTES, _CONTAINER_BYTES = 2, 4, 1, 2
_BYTES_OF_A_CHARACTER = 4
_TIMES: Mapping[str, tuple[str, int, int]] = {
    "duration": ("duration", 3, 32),
    "date": ("timestamp", 12, 12),
    "date-time": ("timestamp", 21, 32),
}
"""By format: type, and how many bytes a value has at least and at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """``list(string)``: a name with parameters. Objects are the same type only where they are of the same place."""

    name: str
    parameters: tuple[Type, ...] = ()
    fields: Mapping[str, Type] | None = None
    """Of an object: its properties."""
    most: int | None = None
    """Characters, items or entries at most; None where nothing is known of it, 0 where it has none."""
    least_bytes: int = 0
    """What the smallest value takes in JSON."""

    def __str__(self) -> str:
        if not self.parameters:
            return self.name
        return f"{self.name}({', '.join(map(str, self.parameters))})"


DYN, ERROR, NULL = Type("dyn"), Type("!error!"), Type("null")
BOOL, INT, DOUBLE, STRING = Type("bool"), Type("int"), Type("double"), Type("string")
_SCALARS = ("bool", "int", "double", "duration", "timestamp", "type")


def list_of(item: Type) -> Type:
    return Type("list", (item,))


def map_of(key: Type, value: Type) -> Type:
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    return Type("optional_type", (value,))


def is_anything(type_: Type) -> bool:
    """Whether nothing is known of values of this type before there is one, or something is wrong already."""
    return type_.name in (DYN.name, ERROR.name)


def is_scalar(type_: Type) -> bool:
    if type_.name == "optional_type":
        return is_scalar(type_.parameters[0])
    return type_.name in _SCALARS


def of_schema(schema: Schema, *, is_root: bool = False) -> Type | None:
    """The type of values that fit ``schema``; None for what rules cannot see."""
    if schema.get("x-kubernetes-int-or-string"):
        return replace(DYN, most=_string_length(schema), least_bytes=1)
    is_root = is_root or bool(schema.get("x-kubernetes-embedded-resource"))
    match schema.get("type"):
        case "array":
            return _array(schema)
        case "object":
            additional = schema.get("additionalProperties")
            return _map(schema, additional) if isinstance(additional, Mapping) else _object(schema, is_root=is_root)
        case "string":
            return _string(schema)
        case "boolean":
            return replace(BOOL, most=0, least_bytes=_BOOL_BYTES)
        case "number":
            return replace(DOUBLE, most=0, least_bytes=_NUMBER_BYTES)
        case "integer":
            return replace(INT, most=0, least_bytes=_NUMBER_BYTES)
    return None


def most_occurrences(type_: Type) -> int:
    """How often values of ``type_`` can be in one request, where no list around them is bounded."""
    return REQUEST_BYTES // (type_.least_bytes + 1)


def _array(schema: Schema) -> Type | None:
    item = of_schema(schema.get("items") or {})
    if item is None:
        return None
    most = schema.get("maxItems")
    if most is None:
        most = (REQUEST_BYTES - 2) // (item.least_bytes + 1)
    return Type("list", (item,), most=max(most, 0), least_bytes=_CONTAINER_BYTES)


def _map(schema: Schema, additional: Schema) -> Type | None:
    value = of_schema(additional)
    if value is None:
        return None
    most = schema.get("maxProperties")
    if most is None:
        most = (REQUEST_BYTES - 2) // (value.least_bytes + 6)
    key = replace(STRING, most=0, least_bytes=_STRING_BYTES)
    return Type("map", (key, value), most=max(most, 0), least_bytes=_CONTAINER_BYTES)


def _object(schema: Schema, *, is_root: bool) -> Type:
    required = schema.get("required") or ()
    properties = schema.get("properties") or {}
    if is_root:
        text: Schema = {"type": "string"}
        named = {"type": "object", "properties": {"name": text, "generateName": text}}
        properties = {**properties, "apiVersion": text, "kind": text, "metadata": named}
    fields, least = {}, _CONTAINER_BYTES
    for name, below in properties.items():
        found = of_schema(below)
        if found is None:
            continue
        fields[name] = found
        if name in required and "default" not in below:
            least += len(name) + found.least_bytes + 4
    return Type("object", fields=fields, most=0, least_bytes=least)


def _string(schema: Schema) -> Type:
    given = str(schema.get("format") or "")
    if given in _TIMES:
        name, least, most = _TIMES[given]
        return Type(name, most=most, least_bytes=least)
    if given == "byte":
        length = schema.get("maxLength")
        return Type("bytes", most=REQUEST_BYTES - 2 if length is None else max(length, 0), least_bytes=_STRING_BYTES)
    return replace(STRING, most=_string_length(schema), least_bytes=_STRING_BYTES)


def _string_length(schema: Schema) -> int:
    """In bytes: ``maxLength`` counts characters."""
    if schema.get("maxLength") is not None:
        return max(int(schema["maxLength"]), 0) * _BYTES_OF_A_CHARACTER
    if schema.get("enum") and not schema.get("x-kubernetes-int-or-string"):
        return max((len(value) for value in schema["enum"] if isinstance(value, str)), default=0)
    return REQUEST_BYTES - 2
