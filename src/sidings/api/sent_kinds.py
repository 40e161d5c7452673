"""Kinds that clients send and nobody stores: options of a deletion, and the bodies of subresources that act.

Read as Go reads them: what is unknown is left out, what has the wrong type is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sidings.api import golang
from sidings.api.objects import Object
from sidings.api.status import BadRequest
from sidings.api.structural import decoding

_STRING, _BOOLEAN = {"type": "string"}, {"type": "boolean"}
_INTEGER = {"type": "integer", "format": "int64"}
_TYPE_META = {"apiVersion": _STRING, "kind": _STRING}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _strings() -> dict[str, Any]:
    return {"type": "array", "items": _STRING}


_METADATA = _object(
    name=_STRING,
    namespace=_STRING,
    uid=_STRING,
    resourceVersion=_STRING,
    creationTimestamp=_STRING,
    labels={"type": "object", "additionalProperties": _STRING},
    annotations={"type": "object", "additionalProperties": _STRING},
)
_DELETE_OPTIONS = _object(
    **_TYPE_META,
    gracePeriodSeconds=_INTEGER,
    preconditions=_object(uid=_STRING, resourceVersion=_STRING),
    orphanDependents=_BOOLEAN,
    propagationPolicy=_STRING,
    dryRun=_strings(),
)
_REFERENCE = _object(**_TYPE_META, name=_STRING, uid=_STRING, namespace=_STRING, fieldPath=_STRING)
SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "DeleteOptions": _DELETE_OPTIONS,
    "Binding": _object(**_TYPE_META, metadata=_METADATA, target=_REFERENCE),
    "Eviction": _object(**_TYPE_META, metadata=_METADATA, deleteOptions=_DELETE_OPTIONS),
    "Scale": _object(
        **_TYPE_META,
        metadata=_METADATA,
        spec=_object(replicas={"type": "integer", "format": "int32"}),
        status=_object(replicas={"type": "integer", "format": "int32"}, selector=_STRING),
    ),
    "TokenRequest": _object(
        **_TYPE_META,
        metadata=_METADATA,
        spec=_object(audiences=_strings(), expirationSeconds=_INTEGER, boundObjectRef=_REFERENCE),
    ),
}
"""By kind."""


def read(kind: str, value: Any) -> Object:
    """``value`` as an object of ``kind``. Raises BadRequest in Go's words."""
    if not isinstance(value, dict):
        told = f"json: cannot unmarshal {golang.json_type(value)} into Go value of type v1.{kind}"
    else:
        decoded = decoding.decode(dict(SCHEMAS[kind]), value, builtin=True)
        if not decoded.error:
            return decoded.object
        told = decoded.error
    raise BadRequest(f'{kind} in version "v1" cannot be handled as a {kind}: {told}')
