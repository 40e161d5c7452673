"""``/openapi/v3``: what ``kubectl apply``, ``create``, ``edit`` and ``explain`` need to know about every kind.

kubectl reads three things: that a PATCH of the kind takes ``fieldValidation`` (or it refuses to apply), the path
pattern and verbs of the kind, and the schema with its descriptions. Documents hold these and no more: one tenth of the
size of upstream's. They are made once per set of kinds, kept as bytes, and named by their hash, so clients keep them
too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from sidings import __version__
from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.objects import Object

ROOT = "/openapi/v3"
GVK = "x-kubernetes-group-version-kind"
_HASH_LENGTH = 32
_IN_EVERY_OBJECT = {
    "apiVersion": "Group and version that this object is written in.",
    "kind": "What this object is.",
    "metadata": "Name, namespace, labels, annotations, owners, and what the server notes of every object.",
}
"""What ``kubectl explain`` says of the fields that all kinds share."""
_WRITE_PARAMETERS = ("dryRun", "fieldManager", "fieldValidation")


class OpenApi:
    """All documents for one set of kinds."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        by_version: dict[str, list[Kind]] = {}
        for kind in kinds:
            resource = kind.resource
            root = f"apis/{resource.group}/{resource.version}" if resource.group else f"api/{resource.version}"
            by_version.setdefault(root, []).append(kind)
        self._documents = {root: msgspec.json.encode(document(of_version)) for root, of_version in by_version.items()}
        self.index = msgspec.json.encode(
            {
                "paths": {
                    root: {"serverRelativeURL": f"{ROOT}/{root}?hash={_hash(raw)}"}
                    for root, raw in self._documents.items()
                }
            }
        )

    def document(self, root: str) -> bytes | None:
        """The document of ``api/v1`` or ``apis/G/V``; None for one not served."""
        return self._documents.get(root)


def document(kinds: Iterable[Kind]) -> Object:
    """The OpenAPI v3 document of the kinds of one group and version."""
    paths: dict[str, Any] = {}
    components: dict[str, Any] = {}
    for kind in kinds:
        name = _add_schema(kind, components)
        paths.update(_paths(kind, {"$ref": schemas.REF + name}))
    return {
        "openapi": "3.0.0",
        "info": {"title": "Sidings", "version": __version__},
        "paths": paths,
        "components": {"schemas": components},
    }


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:_HASH_LENGTH].upper()


def _add_schema(kind: Kind, components: dict[str, Any]) -> str:
    """Put the schema of ``kind`` and all it refers to into ``components``; returns its name there."""
    resource = kind.resource
    gvk = {"group": resource.group, "version": resource.version, "kind": resource.kind}
    try:
        name = schemas.definition_name(resource.group, resource.version, resource.kind)
    except KeyError:
        # A CustomResourceDefinition's own schema: self-contained, named after its group turned round as upstream does.
        name = ".".join([*reversed(resource.group.split(".")), resource.version, resource.kind])
        components[name] = _kind_schema(kind.schema, gvk)
        return name
    definitions = schemas.definitions()
    waiting = [name]
    while waiting:
        needed = waiting.pop()
        if needed not in components:
            components[needed] = definitions[needed]
            waiting += _references(definitions[needed])
    components[name] = _kind_schema(definitions[name], gvk)
    return name


def _kind_schema(schema: Mapping[str, Any], gvk: Object) -> Object:
    """``schema`` as that of a kind, with a description of every field at its top."""
    properties = dict(schema.get("properties") or {})
    for field, description in _IN_EVERY_OBJECT.items():
        declared = properties.get(field)
        if declared is not None and not declared.get("description"):
            # Beside a reference nothing else counts, so it goes a level down.
            declared = {"allOf": [declared]} if "$ref" in declared else declared
            properties[field] = {**declared, "description": description}
    return {**schema, "properties": properties, GVK: [gvk]}


def _references(schema: Any) -> Iterable[str]:
    if isinstance(schema, Mapping):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            yield reference.removeprefix(schemas.REF)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _paths(kind: Kind, schema: Object) -> Object:
    resource = kind.resource
    collection = resource.path("{namespace}")
    found = {
        # Of a namespaced kind also the list over all namespaces; of any other this is the collection itself.
        resource.path(): {"get": _operation(kind, "list", schema)},
        collection: {
            "get": _operation(kind, "list", schema),
            "post": _operation(kind, "post", schema, _WRITE_PARAMETERS),
        },
        f"{collection}/{{name}}": {
            "get": _operation(kind, "get", schema),
            "put": _operation(kind, "put", schema, _WRITE_PARAMETERS),
            "patch": _operation(kind, "patch", schema, (*_WRITE_PARAMETERS, "force")),
            "delete": _operation(kind, "delete", schema, ("dryRun", "gracePeriodSeconds", "propagationPolicy")),
        },
    }
    for name in sorted(kind.subresources & {"status", "scale"}):
        found[f"{collection}/{{name}}/{name}"] = {
            "get": _operation(kind, "get", schema),
            "put": _operation(kind, "put", schema, _WRITE_PARAMETERS),
            "patch": _operation(kind, "patch", schema, (*_WRITE_PARAMETERS, "force")),
        }
    return found


def _operation(kind: Kind, action: str, schema: Object, parameters: Iterable[str] = ()) -> Object:
    resource = kind.resource
    return {
        "x-kubernetes-action": action,
        GVK: {
            "group": resource.group,
            "version": resource.version,
            "kind": resource.kind,
        },
        "parameters": [{"name": name, "in": "query", "schema": {"type": "string"}} for name in parameters],
        "responses": {"200": {"description": "OK", "content": {"application/json": {"schema": schema}}}},
    }
