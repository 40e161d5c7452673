"""PATCH: a change to whatever the object is by then.

The three formats without managed fields are applied to the stored object, and the outcome goes the way of a PUT. A
patch that names no resourceVersion means the latest one, so when somebody else writes in between it is applied anew.
The fourth format, apply, is in ``applying``.
"""

from __future__ import annotations

import json
from typing import Any

from sidings.api import fields, golang
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.patch import json_patch, merge, strategic
from sidings.api.status import Invalid, UnsupportedMediaType
from sidings.registry import applying, incoming, subresources
from sidings.registry.context import Context
from sidings.registry.update import OPTIMISTIC_LOCK, Outrun, conflict, revise
from sidings.store.store import encode

JSON = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"

_METADATA_ORDER = (
    "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
    "managedFields",
)  # fmt: skip

MOST_ATTEMPTS = 100
"""Upstream gives up after five; it has no queue of writers that waits for a disk."""


async def patch(
    context: Context,
    kind: Kind,
    name: str,
    body: Any,
    namespace: str,
    options: WriteOptions,
    *,
    patch_type: str,
    subresource: str,
) -> tuple[Object, bool]:
    subresources.must_have(kind, name, subresource)
    if patch_type == APPLY:
        return await applying.apply(context, kind, name, body, namespace, options, subresource=subresource)
    for _ in range(MOST_ATTEMPTS):
        entry = context.entry(kind, name, namespace)
        new = _decoded(kind, changed(kind, entry.document, body, patch_type), body, patch_type, options)
        incoming.address(kind, new, name, namespace)
        try:
            return await revise(context, kind, new, entry, options, subresource=subresource), False
        except Outrun:
            continue
    raise conflict(kind, name, OPTIMISTIC_LOCK)


def changed(kind: Kind, document: Object, body: Any, patch_type: str) -> Object:
    """``document`` after the patch. Raises ``UnsupportedMediaType`` for a format that ``kind`` does not take."""
    if patch_type == JSON:
        return json_patch.apply(document, body)
    if patch_type == MERGE:
        return merge.apply(document, body)
    if patch_type == STRATEGIC and kind.builtin:
        return strategic.apply(document, body, kind.schema)
    raise UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: "
        f"{', '.join([JSON, MERGE, *([STRATEGIC] if kind.builtin else []), APPLY])}"
    )


def _decoded(kind: Kind, changed: Object, body: Any, patch_type: str, options: WriteOptions) -> Object:
    try:
        obj, objections = incoming.read(kind, changed)
        incoming.object_to(objections, options)
    except incoming.Unreadable as error:
        shown = golang.text(body) if patch_type == STRATEGIC else _as_json(kind, changed)
        raise _refused(shown, error.message) from error
    return obj


def _as_json(kind: Kind, changed: Object) -> str:
    """As kube-apiserver prints it: keys sorted, but for metadata of built-in kinds, which are in the order of Go."""
    if not kind.builtin:
        return json.dumps(changed, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    metadata = changed.get("metadata")
    if isinstance(metadata, dict):
        ordered = [field for field in _METADATA_ORDER if field in metadata]
        rest = sorted(metadata.keys() - set(ordered))
        changed = {**changed, "metadata": {field: metadata[field] for field in [*ordered, *rest]}}
    return encode({field: changed[field] for field in sorted(changed)}).decode()


def _refused(shown: str, detail: str) -> Invalid:
    """A patch whose outcome cannot be decoded: 422 about no kind, the field ``patch`` (recorded: *-unknown-field-*)."""
    return fields.to_invalid("", "", "", [fields.invalid("patch", shown, detail)])
