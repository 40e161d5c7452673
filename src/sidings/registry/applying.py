"""Server-side apply: the client says what it wants of an object, and owns exactly that.

Merging, ownership and conflicts are ``api.apply.server_side``; here is its place among the verbs. An apply makes the
object where there is none; otherwise its outcome goes the way of a PUT.
"""

from __future__ import annotations

from typing import Any

from sidings.api import timestamps
from sidings.api.apply import server_side
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.status import AlreadyExists, BadRequest, Conflict
from sidings.registry import create, incoming
from sidings.registry.context import Context, key_for, not_found
from sidings.registry.update import OPTIMISTIC_LOCK, Outrun, conflict, revise

MOST_ATTEMPTS = 100


async def apply(
    context: Context, kind: Kind, name: str, body: Any, namespace: str, options: WriteOptions, *, subresource: str
) -> tuple[Object, bool]:
    """The object, and whether it is new."""
    wanted = _configuration(kind, name, body, namespace)
    key = key_for(kind.resource, name, namespace)
    for _ in range(MOST_ATTEMPTS):
        entry = context.store.get(key)
        if entry is None and subresource:
            raise not_found(kind.resource, name)
        _check_identity(kind, wanted, entry.document if entry else None)
        merged = server_side.apply(
            kind,
            entry.document if entry else None,
            wanted,
            manager=options.field_manager,
            force=options.force,
            subresource=subresource,
            time=timestamps.to_text(context.now()),
        )
        try:
            new, _objections = incoming.read(kind, merged)
        except incoming.Unreadable as error:
            raise BadRequest(f"failed to convert merged object: {error.message}") from error
        incoming.address(kind, new, name, namespace)
        try:
            if entry is not None:
                revised = await revise(
                    context, kind, new, entry, options, subresource=subresource, managed_by_apply=True
                )
                return revised, False
            return await create.store_new(context, kind, new, options), True
        except (Outrun, AlreadyExists):
            continue
    raise conflict(kind, name, OPTIMISTIC_LOCK)


def _configuration(kind: Kind, name: str, body: Any, namespace: str) -> Object:
    """``body`` as an object at its address; raises ``BadRequest`` where it has another one."""
    if not isinstance(body, dict):
        raise BadRequest("error decoding YAML: the configuration is not an object")
    if not isinstance(body.get("metadata") or {}, dict):
        raise BadRequest("error decoding YAML: metadata is not an object")
    metadata = dict(body.get("metadata") or {})
    incoming.address(kind, {"metadata": dict(metadata)}, name, namespace)
    metadata["name"] = name
    return {**body, "metadata": metadata}


def _check_identity(kind: Kind, wanted: Object, live: Object | None) -> None:
    """A configuration may pin the object it means by uid and resourceVersion."""
    metadata = wanted["metadata"]
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if live is None:
        if uid:
            raise Conflict(
                f"uid mismatch: the provided object specified uid {uid}, and no existing object was found",
                name=metadata["name"],
                group=kind.resource.group,
                kind=kind.resource.plural,
            )
    elif version and version != live["metadata"]["resourceVersion"]:
        raise conflict(kind, metadata["name"], OPTIMISTIC_LOCK)
