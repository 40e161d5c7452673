"""Create-or-update of a manifest by server-side apply: what ``sidings run`` and ``sidings apply`` do.

Server-side, because then the server knows which fields this command set and takes back those that a later manifest
drops; and because a JobSet whose defaulted lists are sent back incomplete by client-side apply is refused.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sidings.api.objects import Object, name_of, namespace_of
from sidings.api.resources import Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client, PatchType

FIELD_MANAGER = "sidings"


class Outcome(StrEnum):
    """The words kubectl prints."""

    CREATED = "created"
    CONFIGURED = "configured"
    UNCHANGED = "unchanged"


class Applied(NamedTuple):
    obj: Object
    outcome: Outcome


async def apply(
    client: Client, resource: Resource, manifest: Object, *, namespace: str, force: bool = False, dry_run: bool = False
) -> Applied:
    """Make the object at the manifest's name be what ``manifest`` says.

    ``namespace`` is for a manifest without one. Unknown fields are refused (BadRequest names their paths); a field
    that somebody else set to another value is a Conflict unless ``force``.
    """
    target = (namespace_of(manifest) or namespace) if resource.namespaced else ""
    name = name_of(manifest)
    try:
        before = str((await client.get(resource, name, target))["metadata"]["resourceVersion"])
    except NotFound:
        before = ""
    obj = await client.patch(
        resource,
        name,
        manifest,
        namespace=target,
        patch_type=PatchType.APPLY,
        field_manager=FIELD_MANAGER,
        force=force,
        dry_run=dry_run,
        field_validation="Strict",
    )
    if not before:
        return Applied(obj, Outcome.CREATED)
    unchanged = obj["metadata"]["resourceVersion"] == before
    return Applied(obj, Outcome.UNCHANGED if unchanged else Outcome.CONFIGURED)
