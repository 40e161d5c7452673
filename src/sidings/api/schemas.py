"""The structural schemas of all kinds, as one compact data file.

``data/schemas.json.gz`` is written by ``tools/schemas.py`` from packages that carry the upstream types. It is read on
first use (about 5 ms). Two views of it:

* :func:`definitions` has ``$ref`` between named definitions, as OpenAPI v3 documents want it;
* :func:`schema` gives one kind with every ``$ref`` replaced by the definition itself. Definitions are shared objects,
  not copies, so a walk costs nothing extra and recursion needs no special case.

Both are read-only and shared. Validation, pruning and defaulting over a schema are in ``structural``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sidings.api.kind import Schema

_FILE = Path(__file__).with_name("data") / "schemas.json.gz"

_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
REF = "#/components/schemas/"
GO_TYPE = "x-go-type"
"""Extension of our own on linked definitions: the Go type (``v1.PodSpec``) that decoding errors name."""


@cache
def definitions() -> Mapping[str, Schema]:
    """Definition name (``io.k8s.api.core.v1.Pod``) -> schema, with ``$ref``."""
    loaded: dict[str, Schema] = json.loads(gzip.decompress(_FILE.read_bytes()))
    return loaded


def definition_name(group: str, version: str, kind: str) -> str:
    """The name of a kind's own definition; raises ``KeyError`` for a kind that is not in the file."""
    return _names()[group, version, kind]


def schema(group: str, version: str, kind: str) -> Schema:
    """The linked schema of a kind; raises ``KeyError`` for a kind that is not in the file."""
    return definition(definition_name(group, version, kind))


def definition(name: str) -> Schema:
    """A linked definition by name, such as ``io.k8s.api.core.v1.PodTemplateSpec``."""
    linked = _linked.get(name)
    if linked is None:
        # The entry is there before it is filled: a definition that reaches itself finds it.
        linked = _linked[name] = {}
        linked.update(_link(definitions()[name]))
        linked[GO_TYPE] = ".".join(name.split(".")[-2:])
    return linked


def of_objects(declared: Schema) -> Schema:
    """A declared schema with what every object has; metadata cannot be declared otherwise than it is."""
    properties = {
        **declared.get("properties", {}),
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": definition(_OBJECT_META),
    }
    return {**declared, "properties": properties}


_linked: dict[str, dict[str, Any]] = {}


@cache
def _names() -> dict[tuple[str, str, str], str]:
    return {
        (gvk["group"], gvk["version"], gvk["kind"]): name
        for name, schema in definitions().items()
        for gvk in schema.get("x-kubernetes-group-version-kind", ())
    }


def _link(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_link(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    reference = schema.get("$ref")
    if isinstance(reference, str):
        target = definition(reference.removeprefix(REF))
        if len(schema) == 1:
            return target
        return {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {key: _link(value) for key, value in schema.items()}
