"""What a pure ``plan`` returns, and the one place that carries it out.

Deletes go first, then creates, then updates, then one status write, then the events that depend on it. A step that
fails ends the pass (the queue retries), except that one failed create or delete does not stop its siblings: all are
tried and the first error is raised, as upstream's controllers do.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidings.api.objects import Object, key_of
from sidings.api.resources import Resource
from sidings.api.status import ApiError, NotFound
from sidings.client.events import EventNote as EventNote
from sidings.client.interface import Client, PatchType


class Create(NamedTuple):
    resource: Resource
    obj: Object


class Update(NamedTuple):
    """PUT of the whole object with its resourceVersion: a stale read fails with Conflict and is planned anew."""

    resource: Resource
    obj: Object
    subresource: str = ""


class Patch(NamedTuple):
    resource: Resource
    namespace: str
    name: str
    body: Any
    patch_type: PatchType = PatchType.MERGE
    subresource: str = ""
    field_manager: str = ""
    force: bool = False


class Delete(NamedTuple):
    """Deletes exactly the object that was read: its uid is a precondition. One already gone is no error."""

    resource: Resource
    obj: Object
    propagation_policy: str = "Background"
    grace_period_seconds: int | None = None


@dataclass
class Plan:
    """Everything one pass of a controller wants done."""

    deletes: list[Delete] = field(default_factory=list)
    creates: list[Create] = field(default_factory=list)
    updates: list[Update | Patch] = field(default_factory=list)
    status: Update | Patch | None = None
    events: list[EventNote] = field(default_factory=list)
    """Emitted after the status write succeeded."""
    requeue_after: float | None = None
    """Seconds until the object must be looked at again even if nothing happens."""


async def carry_out(client: Client, plan: Plan, *, field_manager: str, parallel: int = 50) -> None:
    """Apply ``plan``; raises the first ApiError. Events and ``requeue_after`` are the caller's."""
    await together([_delete(client, item) for item in plan.deletes], parallel)
    await together(
        [
            client.create(c.resource, c.obj, namespace=key_of_new(c.obj), field_manager=field_manager)
            for c in plan.creates
        ],
        parallel,
    )
    await together([write(client, item, field_manager=field_manager) for item in plan.updates], parallel)
    if plan.status is not None:
        await write(client, plan.status, field_manager=field_manager)


def key_of_new(obj: Object) -> str:
    """The namespace of an object that may not have a name yet (generateName)."""
    return str(obj["metadata"].get("namespace") or "")


async def write(client: Client, item: Update | Patch, *, field_manager: str) -> Object:
    if isinstance(item, Update):
        return await client.update(item.resource, item.obj, subresource=item.subresource, field_manager=field_manager)
    return await client.patch(
        item.resource,
        item.name,
        item.body,
        namespace=item.namespace,
        patch_type=item.patch_type,
        subresource=item.subresource,
        field_manager=item.field_manager or field_manager,
        force=item.force,
    )


async def _delete(client: Client, item: Delete) -> None:
    key = key_of(item.obj)
    with contextlib.suppress(NotFound):
        await client.delete(
            item.resource,
            key.name,
            key.namespace,
            propagation_policy=item.propagation_policy,
            grace_period_seconds=item.grace_period_seconds,
            uid=item.obj["metadata"]["uid"],
        )


async def together(work: Sequence[Coroutine[Any, Any, Any]], parallel: int) -> None:
    """Run ``work``, at most ``parallel`` at once, all of it; then raise the first ApiError that occurred."""
    gate = asyncio.Semaphore(parallel)

    async def one(item: Coroutine[Any, Any, Any]) -> ApiError | None:
        async with gate:
            try:
                await item
            except ApiError as error:
                return error
        return None

    try:
        errors = await asyncio.gather(*(one(item) for item in work))
    except asyncio.CancelledError:
        for item in work:
            item.close()  # what was not begun yet: the controller is stopped
        raise
    for error in errors:
        if error is not None:
            raise error
