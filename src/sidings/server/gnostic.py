"""An OpenAPI v2 document as protobuf: the only form in which kubectl takes ``/openapi/v2``.

Messages and field numbers are those of ``google/gnostic-models`` ``openapiv2/OpenAPIv2.proto`` (v0.7), as far as our
documents need them. Its ``Any`` is a piece of YAML; ours is JSON, which is YAML.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sidings.api.protobuf import wire

_METHODS = {"get": 2, "put": 3, "post": 4, "delete": 5, "options": 6, "head": 7, "patch": 8}
_TEXTS = {"$ref": 1, "format": 2, "title": 3, "description": 4, "pattern": 13}
_NUMBERS = {"multipleOf": 6, "maximum": 7, "minimum": 9}
_INTEGERS = {"maxLength": 11, "minLength": 12, "maxItems": 14, "minItems": 15, "maxProperties": 17, "minProperties": 18}


def encode(document: Mapping[str, Any]) -> bytes:
    """``document``, a Swagger 2.0 document as decoded JSON, as an ``openapi.v2.Document``."""
    info = document["info"]
    parts = [
        wire.text(1, document["swagger"]),
        wire.piece(2, wire.text(1, info["title"]) + wire.text(2, info["version"])),
        wire.piece(8, b"".join(_named(2, path, _path_item(item)) for path, item in document["paths"].items())),
        wire.piece(9, _named_schemas(document["definitions"])),
    ]
    return b"".join(parts)


def _named(number: int, name: str, value: bytes) -> bytes:
    """Any of the ``Named...`` messages: a name and a value."""
    return wire.piece(number, wire.text(1, name) + wire.piece(2, value))


def _named_schemas(schemas: Mapping[str, Any]) -> bytes:
    return b"".join(_named(1, name, _schema(schema)) for name, schema in schemas.items())


def _any(value: Any) -> bytes:
    return wire.text(2, json.dumps(value))


def _extensions(number: int, holder: Mapping[str, Any]) -> Iterable[bytes]:
    return (_named(number, name, _any(value)) for name, value in holder.items() if name.startswith("x-"))


def _path_item(item: Mapping[str, Any]) -> bytes:
    return b"".join(wire.piece(_METHODS[method], _operation(operation)) for method, operation in item.items())


def _operation(operation: Mapping[str, Any]) -> bytes:
    parameters = (wire.piece(8, wire.piece(1, _parameter(each))) for each in operation["parameters"])
    responses = (
        _named(1, code, wire.piece(1, wire.text(1, each["description"]) + _response_schema(each)))
        for code, each in operation["responses"].items()
    )
    return b"".join((*parameters, wire.piece(9, b"".join(responses)), *_extensions(13, operation)))


def _response_schema(response: Mapping[str, Any]) -> bytes:
    return wire.piece(2, wire.piece(1, _schema(response["schema"])))


def _parameter(parameter: Mapping[str, Any]) -> bytes:
    """``Parameter``; all of ours stand in the query."""
    said = wire.text(2, "query") + wire.text(4, parameter["name"]) + wire.text(6, parameter["type"])
    return wire.piece(2, wire.piece(3, said))


def _schema(schema: Mapping[str, Any]) -> bytes:
    parts = [wire.text(number, schema[name]) for name, number in _TEXTS.items() if name in schema]
    parts += [wire.double(number, schema[name]) for name, number in _NUMBERS.items() if name in schema]
    parts += [wire.integer(number, schema[name]) for name, number in _INTEGERS.items() if name in schema]
    if "default" in schema:
        parts.append(wire.piece(5, _any(schema["default"])))
    parts += [wire.text(19, name) for name in schema.get("required", ())]
    parts += [wire.piece(20, _any(value)) for value in schema.get("enum", ())]
    if isinstance(additional := schema.get("additionalProperties"), Mapping):
        parts.append(wire.piece(21, wire.piece(1, _schema(additional))))
    if "type" in schema:
        parts.append(wire.piece(22, wire.text(1, schema["type"])))
    if "items" in schema:
        parts.append(wire.piece(23, wire.piece(1, _schema(schema["items"]))))
    if "properties" in schema:
        parts.append(wire.piece(25, _named_schemas(schema["properties"])))
    return b"".join((*parts, *_extensions(31, schema)))
