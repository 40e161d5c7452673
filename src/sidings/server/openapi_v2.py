"""``/openapi/v2``: what kubectl 1.28 and older reads before every write, and every kubectl for a manifest of kind List.

The same facts as ``openapi_v3``, in Swagger's words: definitions instead of components, one type to a schema, no
``oneOf``. kubectl asks for it as protobuf (``gnostic``), everybody else gets JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sidings import __version__
from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.server import gnostic, openapi_v3
from sidings.server.negotiation import JSON, media_types

ROOT = "/openapi/v2"
ASKED = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
"""As clients write it in ``Accept``."""
PROTOBUF = b"application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
"""As we write it: Go's parser of Content-Type does not take the ``@``."""
_DEFINITIONS = "#/definitions/"
_NOT_IN_V2 = frozenset(("nullable", "oneOf", "anyOf", "allOf", "not"))


def answer(kinds: Iterable[Kind], accept: str) -> tuple[bytes, bytes]:
    """The document in the form that an ``Accept`` header asks for, and its Content-Type."""
    whole = document(kinds)
    if prefers_protobuf(accept):
        return gnostic.encode(whole), PROTOBUF
    return msgspec.json.encode(whole), JSON.encode()


def prefers_protobuf(accept: str) -> bool:
    """Whether protobuf comes before JSON in ``accept``."""
    for media_type, _ in media_types(accept):
        if media_type == ASKED:
            return True
        if media_type in (JSON, "application/*", "*/*"):
            return False
    return False


def document(kinds: Iterable[Kind]) -> Object:
    """One document for all kinds."""
    paths: dict[str, Any] = {}
    definitions: dict[str, Any] = {}
    for kind in kinds:
        of_kind = openapi_v3.document([kind])
        for name, schema in of_kind["components"]["schemas"].items():
            # A kind's own definition names the kind, and wins over the same one that another kind refers to.
            if name not in definitions or openapi_v3.GVK in schema:
                definitions[name] = _schema(schema)
        for path, item in of_kind["paths"].items():
            paths[path] = {method: _operation(operation) for method, operation in item.items()}
    return {
        "swagger": "2.0",
        "info": {"title": "Sidings", "version": __version__},
        "paths": paths,
        "definitions": definitions,
        "securityDefinitions": {
            "BearerToken": {
                "description": "Bearer token of a user or service account.",
                "type": "apiKey",
                "name": "authorization",
                "in": "header",
            }
        },
        "security": [{"BearerToken": []}],
    }


def _operation(operation: Mapping[str, Any]) -> Object:
    (content,) = operation["responses"]["200"]["content"].values()
    return {
        **{name: value for name, value in operation.items() if name.startswith("x-")},
        "parameters": [{"name": each["name"], "in": "query", "type": "string"} for each in operation["parameters"]],
        "responses": {"200": {"description": "OK", "schema": _schema(content["schema"])}},
    }


def _schema(schema: Mapping[str, Any]) -> Object:
    made = {name: value for name, value in schema.items() if name not in _NOT_IN_V2}
    for each in schema.get("allOf") or ():
        if "$ref" in each:
            # A reference with a description beside it (``openapi_v3``).
            return _schema(each)
    if "$ref" in made:
        return {"$ref": _DEFINITIONS + made["$ref"].removeprefix(schemas.REF)}
    if made.get("x-kubernetes-int-or-string"):
        # Two types at once cannot be said; a client that checks would refuse one of them.
        made.pop("type", None)
        made["format"] = "int-or-string"
    if "properties" in made:
        made["properties"] = {name: _schema(each) for name, each in made["properties"].items()}
    for name in ("items", "additionalProperties"):
        if isinstance(made.get(name), Mapping):
            made[name] = _schema(made[name])
    return made
