"""``/scale``: reading and writing the number of replicas of a custom resource without the rest of it.

A write goes the way of an update of the object itself, generation included.
"""

from __future__ import annotations

from typing import Any

from sidings.api import fields, scale, sent_kinds
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.registry import patch, update
from sidings.registry.context import Context
from sidings.registry.listing import Item
from sidings.store.store import encode


def get(context: Context, kind: Kind, name: str, namespace: str) -> Item:
    found = scale.scale_of(kind, context.entry(kind, name, namespace).document)
    return Item(found, encode(found))


async def replace(
    context: Context, kind: Kind, name: str, body: Object, namespace: str, options: WriteOptions
) -> Object:
    """PUT of a ``Scale``; raises ``Conflict`` where it names a resourceVersion and somebody was faster."""
    body = sent_kinds.read(scale.KIND, body)
    while True:
        try:
            return await _write(context, kind, name, namespace, body, options)
        except update.Outrun as error:
            if (body.get("metadata") or {}).get("resourceVersion"):
                raise update.conflict(kind, name, update.OPTIMISTIC_LOCK) from error


async def change(
    context: Context, kind: Kind, name: str, body: Any, namespace: str, options: WriteOptions, *, patch_type: str
) -> Object:
    """PATCH of a ``Scale``: JSON patch or merge patch."""
    for _ in range(patch.MOST_ATTEMPTS):
        current = scale.scale_of(kind, context.entry(kind, name, namespace).document)
        try:
            wanted = sent_kinds.read(scale.KIND, patch.changed(kind, current, body, patch_type))
            return await _write(context, kind, name, namespace, wanted, options)
        except update.Outrun:
            continue
    raise update.conflict(kind, name, update.OPTIMISTIC_LOCK)


async def _write(
    context: Context, kind: Kind, name: str, namespace: str, wanted: Object, options: WriteOptions
) -> Object:
    if errors := scale.validate(wanted):
        raise fields.to_invalid("autoscaling", scale.KIND, name, errors)
    entry = context.entry(kind, name, namespace)
    new = scale.scaled(kind, entry.document, (wanted.get("spec") or {}).get("replicas", 0))
    if version := (wanted.get("metadata") or {}).get("resourceVersion"):
        new["metadata"]["resourceVersion"] = version
    return scale.scale_of(kind, await update.revise(context, kind, new, entry, options, subresource="scale"))
