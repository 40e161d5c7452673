"""Carrying out a :class:`plan.JobPlan`: deletions, creations, one status write, events, and the end of the job itself.

Every deletion and creation tells an event of its own; one that fails does not stop its siblings.
"""

from __future__ import annotations

import contextlib

from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import (
    CONFIG_MAPS,
    PODS,
    ROLE_BINDINGS,
    ROLES,
    SERVICE_ACCOUNTS,
    SERVICES,
    Resource,
)
from sidings.api.status import AlreadyExists, ApiError, Conflict, NotFound
from sidings.client.interface import Client
from sidings.controllers.runtime.events import Recorder
from sidings.controllers.runtime.plan import EventNote, together
from sidings.controllers.training_operator.plan import JobPlan

FIELD_MANAGER = "training-operator"
MOST_PARALLEL = 50

_RESOURCES: dict[str, Resource] = {
    resource.kind: resource for resource in (PODS, SERVICES, CONFIG_MAPS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS)
}


async def carry_out(client: Client, recorder: Recorder, resource: Resource, job: Object, plan: JobPlan) -> None:
    """Apply ``plan`` to ``job``, an object of ``resource``; raises the first ``ApiError``."""
    failures: list[ApiError] = []
    await together([_delete(client, recorder, job, obj) for obj in plan.delete], MOST_PARALLEL)
    for companion in plan.companions:
        await _ensure(client, job, companion)
    await together([_create(client, recorder, job, obj, failures) for obj in plan.create], MOST_PARALLEL)
    if plan.status is not None:
        changed = {**job, "status": plan.status}
        await client.update(resource, changed, subresource="status", field_manager=FIELD_MANAGER)
    for note in plan.events:
        await recorder.record(note)
    if failures:
        raise failures[0]
    if plan.expired:
        await _expire(client, recorder, resource, job)


async def _delete(client: Client, recorder: Recorder, job: Object, obj: Object) -> None:
    kind, name = obj["kind"], objects.name_of(obj)
    try:
        await client.delete(_RESOURCES[kind], name, objects.namespace_of(obj), uid=objects.uid_of(obj))
    except (NotFound, Conflict):
        return
    await recorder.record(EventNote(job, "Normal", f"SuccessfulDelete{kind}", f"Deleted {kind.lower()}: {name}"))


async def _ensure(client: Client, job: Object, obj: Object) -> None:
    with contextlib.suppress(AlreadyExists):
        namespace = objects.namespace_of(job)
        await client.create(_RESOURCES[obj["kind"]], obj, namespace=namespace, field_manager=FIELD_MANAGER)


async def _create(client: Client, recorder: Recorder, job: Object, obj: Object, failures: list[ApiError]) -> None:
    kind, name = obj["kind"], objects.name_of(obj)
    try:
        await client.create(_RESOURCES[kind], obj, namespace=objects.namespace_of(job), field_manager=FIELD_MANAGER)
    except ApiError as error:
        failures.append(error)
        await recorder.record(EventNote(job, "Warning", f"FailedCreate{kind}", f"Error creating: {error.message}"))
        return
    await recorder.record(EventNote(job, "Normal", f"SuccessfulCreate{kind}", f"Created {kind.lower()}: {name}"))


async def _expire(client: Client, recorder: Recorder, resource: Resource, job: Object) -> None:
    name = objects.name_of(job)
    try:
        await client.delete(resource, name, objects.namespace_of(job), uid=objects.uid_of(job))
    except (NotFound, Conflict):
        return
    await recorder.record(EventNote(job, "Normal", "SuccessfulDeleteJob", f"Deleted job: {name}"))
