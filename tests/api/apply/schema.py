"""A small schema that has every shape, for the tests of this folder."""

from typing import Any

from sidings.api.kind import Kind
from sidings.api.resources import Resource

SPEC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "replicas": {"type": "integer"},
        "suspend": {"type": "boolean"},
        "image": {"type": "string"},
        "args": {"type": "array", "items": {"type": "string"}},
        "selector": {
            "type": "object",
            "x-kubernetes-map-type": "atomic",
            "additionalProperties": {"type": "string"},
        },
        "nodeSelector": {"type": "object", "additionalProperties": {"type": "string"}},
        "limits": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}},
        "ports": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["port", "protocol"],
            "items": {
                "type": "object",
                "properties": {
                    "port": {"type": "integer"},
                    "protocol": {"type": "string", "default": "TCP"},
                    "name": {"type": "string"},
                },
            },
        },
        "jobs": {
            "type": "array",
            "x-kubernetes-patch-strategy": "merge",
            "x-kubernetes-patch-merge-key": "name",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "replicas": {"type": "integer"},
                    "template": {"type": "object", "properties": {"image": {"type": "string"}}},
                },
            },
        },
        "extra": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    },
}

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": {
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "namespace": {"type": "string"},
                "resourceVersion": {"type": "string"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
                "finalizers": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            },
        },
        "spec": SPEC,
        "status": {"type": "object", "properties": {"restarts": {"type": "integer"}}},
    },
}

KIND = Kind(
    resource=Resource("example.com", "v1", "things", "Thing"),
    singular="thing",
    schema=SCHEMA,
    builtin=False,
    subresources=frozenset({"status"}),
)


def thing(spec: dict[str, Any] | None = None, **metadata: Any) -> dict[str, Any]:
    made: dict[str, Any] = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", **metadata}}
    if spec is not None:
        made["spec"] = spec
    return made
