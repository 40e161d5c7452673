"""Requests that no client should send, drawn from what the server itself says it serves.

Paths, methods and parameters come from its OpenAPI documents, bodies from good manifests that are then spoiled: by
values of any type, by fields that the schema has, by fields that nobody has, by deletion. Many are still valid, and so
reach what lies behind validation. All is drawn from one seeded source, so a number repeats a run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from sidings.api import sent_kinds

NAMESPACES = ("default", "fuzz", "nowhere", "kube-system")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BREW")
CONTENT_TYPES = (
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "text/plain", "",
    "application/json; charset=utf-8", "application/json-patch+json", "application/merge-patch+json",
    "application/strategic-merge-patch+json", "application/apply-patch+yaml",
)  # fmt: skip
PATCHES = CONTENT_TYPES[6:]
ACCEPTS = (
    "application/json", "*/*", "", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", "application/yaml", "text/html", ";;q=,,",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "application/vnd.kubernetes.protobuf",
)  # fmt: skip
TEXTS = (
    "", "a", "A", "a/b", "a.b", "..", "%", "\u0000", "\U0001f600", "é" * 40, "x" * 300, "1", "-1", "1e400", "true",
    "null", "10Gi", "-5m", "0.5", "2026-01-01T00:00:00Z", "9999-99-99", "app=x", "a in (b,c)", "!a", "((",
    "a==", "$(X)", "metadata.name=a", "status.phase!=Running", "metadata.name", "=,=", "\n", "[*]", "{.x}",
    "default", "Always",
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63) - 1, 10**40, 0.5, -0.0, 1e308, 3.0)
PARAMETERS = (
    "dryRun", "fieldManager", "fieldValidation", "force", "limit", "continue", "labelSelector", "fieldSelector",
    "resourceVersion", "resourceVersionMatch", "watch", "allowWatchBookmarks", "sendInitialEvents", "timeoutSeconds",
    "gracePeriodSeconds", "propagationPolicy", "orphanDependents", "pretty", "includeObject", "container", "follow",
    "tailLines", "sinceSeconds", "sinceTime", "limitBytes", "timestamps", "previous", "stream", "command", "ports",
)  # fmt: skip
LIKELY = {
    "dryRun": ("All",), "fieldValidation": ("Strict", "Warn", "Ignore"), "force": ("true",), "limit": ("1", "3"),
    "watch": ("true", "1"), "propagationPolicy": ("Foreground", "Orphan", "Background"), "fieldManager": ("me",),
    "sendInitialEvents": ("true",), "resourceVersionMatch": ("NotOlderThan", "Exact"), "gracePeriodSeconds": ("0",),
}  # fmt: skip
MAX_DEPTH = 5


ACTIONS = {
    kind: (f"/api/v1/namespaces/{{namespace}}/{resource}/{{name}}/{subresource}", sent_kinds.SCHEMAS[kind])
    for kind, resource, subresource in (
        ("Binding", "pods", "binding"), ("Eviction", "pods", "eviction"), ("TokenRequest", "serviceaccounts", "token"),
    )
}  # fmt: skip
"""Subresources that act, which no document describes: by the kind that is sent."""


class FuzzedRequest(NamedTuple):
    method: str
    url: str
    body: bytes
    headers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.method} {self.url} {dict(self.headers)} {self.body[:2000]!r}"


class Operation(NamedTuple):
    """A path that a document has, and what belongs to it."""

    path: str
    methods: tuple[str, ...]
    kind: tuple[str, str]
    """apiVersion and kind."""
    schema: Mapping[str, Any]


class Fuzzer:
    """Draws requests. ``documents`` are OpenAPI documents as the server gave them, ``samples`` good manifests."""

    def __init__(
        self, rng: random.Random, documents: Sequence[Mapping[str, Any]], samples: Sequence[Mapping[str, Any]]
    ) -> None:
        self._rng = rng
        self._schemas: dict[str, Any] = {}
        self._operations: list[Operation] = []
        self._samples = {(sample["apiVersion"], sample["kind"]): sample for sample in samples}
        self.names = ["a", "sample"]
        for kind, (path, schema) in ACTIONS.items():
            self._operations.append(Operation(path, ("POST",), ("v1", kind), schema))
            self._samples["v1", kind] = {"metadata": {}}
        for document in documents:
            self._schemas |= document["components"]["schemas"]
            self._operations += [_operation(path, methods) for path, methods in document["paths"].items()]

    def request(self) -> FuzzedRequest:
        rng = self._rng
        operation = rng.choice(self._operations)
        method = rng.choice(operation.methods if rng.random() < 0.95 else METHODS)
        path = operation.path.replace("{namespace}", self._namespace()).replace("{name}", self._name())
        if rng.random() < 0.05:
            path = self._spoiled_path(path)
        headers = {"accept": rng.choice(ACCEPTS) if rng.random() < 0.3 else "application/json", "content_type": ""}
        body = b""
        if method in ("POST", "PUT"):
            headers["content_type"] = rng.choice(CONTENT_TYPES) if rng.random() < 0.1 else "application/json"
            body = self._encoded(self._object(operation))
        elif method == "PATCH":
            kind = headers["content_type"] = rng.choice(CONTENT_TYPES) if rng.random() < 0.1 else rng.choice(PATCHES)
            body = self._encoded(self._json_patch(operation) if "json-patch" in kind else self._object(operation))
        elif method == "DELETE" and rng.random() < 0.3:
            body = self._encoded({"kind": "DeleteOptions", "apiVersion": "v1", rng.choice(PARAMETERS): self._value()})
        return FuzzedRequest(method, path + self._query(), body, {name: text for name, text in headers.items() if text})

    def _namespace(self) -> str:
        return quote(self._rng.choice(TEXTS)) if self._rng.random() < 0.02 else self._rng.choice(NAMESPACES)

    def _name(self) -> str:
        return quote(self._rng.choice(TEXTS)) if self._rng.random() < 0.05 else self._rng.choice(self.names)

    def _spoiled_path(self, path: str) -> str:
        parts = path.split("/")
        at = self._rng.randrange(1, len(parts))
        spoiled = [
            [*parts[:at], quote(self._rng.choice(TEXTS), safe=""), *parts[at:]],
            [*parts[:at], *parts[at + 1 :]],
            [*parts[:at], "..", *parts[at:]],
            [*parts, self._rng.choice(("status", "scale", "log", "exec", "eviction", "binding", "token", "x"))],
            [*parts[:at], "", *parts[at:]],
        ]
        return "/".join(self._rng.choice(spoiled)) or "/"

    def _query(self) -> str:
        rng = self._rng
        if rng.random() < 0.5:
            return ""
        pairs = []
        for _ in range(rng.randrange(1, 4)):
            name = rng.choice(PARAMETERS)
            likely = name in LIKELY and rng.random() < 0.6
            value = rng.choice(LIKELY[name]) if likely else rng.choice((*TEXTS, *map(str, NUMBERS)))
            pairs.append(f"{name}={quote(value)}")
        return "?" + "&".join(pairs)

    def _object(self, operation: Operation) -> Any:
        """A good object of the kind with up to three faults."""
        obj = json.loads(json.dumps(self._samples.get(operation.kind, {"metadata": {}})))
        obj["apiVersion"], obj["kind"] = operation.kind
        obj.setdefault("metadata", {})["name"] = self._rng.choice(self.names)
        for _ in range(self._rng.choice((0, 1, 1, 2, 3))):
            self._spoil(obj, operation.schema)
        return obj if self._rng.random() < 0.98 else self._value()

    def _spoil(self, obj: Any, schema: Mapping[str, Any]) -> None:
        """One fault somewhere in ``obj``, at a place that the schema leads to or anywhere."""
        rng = self._rng
        schema = self._resolved(schema)
        while isinstance(obj, dict | list) and obj:
            places = list(obj) if isinstance(obj, dict) else range(len(obj))
            place = rng.choice(places)
            below = self._below(schema, place)
            if isinstance(obj[place], dict | list) and rng.random() < 0.75:
                obj, schema = obj[place], below
                continue
            match rng.randrange(5):
                case 0 if isinstance(obj, dict):
                    del obj[place]
                case 1:
                    obj[place] = self._value()
                case 2 if isinstance(obj, list):
                    obj.append(json.loads(json.dumps(obj[place])))
                case 3:
                    obj[place] = self._from_schema(below, 0)
                case _:
                    known = list(schema.get("properties", ()))
                    field = rng.choice(known) if known and rng.random() < 0.85 else rng.choice(TEXTS)
                    if isinstance(obj, dict):
                        obj[field] = self._from_schema(self._below(schema, field), 0)
            return

    def _resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in schema or "allOf" in schema:
            inner = schema if "$ref" in schema else schema["allOf"][0]
            if "$ref" not in inner:
                return inner
            schema = self._schemas.get(inner["$ref"].rpartition("/")[2], {})
        return schema

    def _below(self, schema: Mapping[str, Any], place: Any) -> Mapping[str, Any]:
        found = schema.get("items") if isinstance(place, int) else schema.get("properties", {}).get(place)
        if found is None:
            found = schema.get("additionalProperties")
        return self._resolved(found) if isinstance(found, Mapping) else {}

    def _from_schema(self, schema: Mapping[str, Any], depth: int) -> Any:
        """A value that the schema allows, or nearly."""
        rng = self._rng
        schema = self._resolved(schema)
        if not schema or rng.random() < 0.05:
            return self._value()
        if "enum" in schema:
            return rng.choice(schema["enum"])
        match schema.get("type"):
            case "object":
                fields = list(schema.get("properties", ()))
                required = schema.get("required", ())
                chosen = [field for field in fields if field in required or rng.random() < 2 / (len(fields) + 1)]
                if depth >= MAX_DEPTH:
                    return {}
                made = {field: self._from_schema(self._below(schema, field), depth + 1) for field in chosen}
                if not fields:
                    made[rng.choice(TEXTS)] = self._from_schema(self._below(schema, ""), depth + 1)
                return made
            case "array":
                return [self._from_schema(self._below(schema, 0), depth + 1) for _ in range(rng.randrange(3))]
            case "integer" | "number":
                return rng.choice((1, 2, 0, *NUMBERS))
            case "boolean":
                return rng.random() < 0.5
            case "string":
                return rng.choice(TEXTS)
        return self._value()

    def _value(self) -> Any:
        rng = self._rng
        return rng.choice(
            (None, True, rng.choice(NUMBERS), rng.choice(TEXTS), [], {}, [None], [{}], {"": None}, [rng.choice(TEXTS)])
        )

    def _json_patch(self, operation: Operation) -> Any:
        rng = self._rng
        paths = (
            "/metadata/labels",
            "/metadata/labels/a",
            "/spec",
            "/spec/-",
            "",
            "/",
            "/metadata/name",
            "~2",
            "/spec/0",
        )
        return [
            {
                "op": rng.choice(("add", "remove", "replace", "move", "copy", "test", "jump")),
                "path": rng.choice(paths),
                "from": rng.choice(paths),
                "value": rng.choice((self._value(), {"a": "b"})),
            }
            for _ in range(rng.randrange(1, 4))
        ]

    def _encoded(self, value: Any) -> bytes:
        rng = self._rng
        raw = json.dumps(value).encode()
        if rng.random() > 0.03:
            return raw
        at = rng.randrange(len(raw) + 1)
        return rng.choice(
            (
                raw[:at],
                raw[:at] + b"\xff\xfe" + raw[at:],
                b"\x00" + raw,
                raw + b"}",
                b"k8s\x00" + raw,
                raw[:at] + b'"a":1,' + raw[at:],
            )
        )


def _operation(path: str, methods: Mapping[str, Any]) -> Operation:
    one = next(iter(methods.values()))
    gvk = one["x-kubernetes-group-version-kind"]
    api_version = f"{gvk['group']}/{gvk['version']}" if gvk["group"] else gvk["version"]
    schema = one["responses"]["200"]["content"]["application/json"]["schema"]
    return Operation(path, tuple(method.upper() for method in methods), (api_version, gvk["kind"]), schema)
