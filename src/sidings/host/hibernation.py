"""Jobs that sleep while there is no engine: ``down --suspend`` and the ``up`` after it.

A job that is put to sleep is suspended like any other, so its pods write their checkpoints, and carries an annotation
by which the next engine knows that nobody else suspended it. One that a queue holds sleeps by its Workload, whether it
runs or waits: else the queue would start it again at once, or with the room that the others leave.
"""

from __future__ import annotations

from sidings.answers import suspension
from sidings.answers.family import ROOTS
from sidings.api.objects import Object, annotations_of, controller_of, name_of, namespace_of, uid_of
from sidings.api.resources import WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client

ANNOTATION = "sidings.dev/resume-at-up"
FIELD_MANAGER = "sidings"


async def put_to_sleep(client: Client, resource: Resource, root: Object, workload: Object | None = None) -> None:
    """Suspend a job that a user started until the next ``up``; ``workload`` is what stands for it in a queue."""
    await _mark(client, resource, root, "true", {} if workload is not None else suspension.change(root, True))
    if workload is not None:
        await _set_active(client, workload, active=False)


async def wake(client: Client) -> list[Object]:
    """Resume every job that was put to sleep; returns them as they were."""
    slept = []
    for resource in ROOTS:
        try:
            page = await client.list(resource)
        except NotFound:
            continue
        for root in page.items:
            if ANNOTATION in annotations_of(root) and controller_of(root) is None:
                await _wake(client, resource, root)
                slept.append(root)
    return slept


async def _wake(client: Client, resource: Resource, root: Object) -> None:
    owned = await client.dependents(WORKLOADS, namespace_of(root), owner_kind=resource.kind, owner_name=name_of(root))
    asleep = [
        it for it in owned if (controller_of(it) or {}).get("uid") == uid_of(root) and not suspension.waits_in_queue(it)
    ]
    for workload in asleep:
        await _set_active(client, workload, active=True)
    await _mark(client, resource, root, None, {} if asleep else suspension.change(root, False))


async def _mark(client: Client, resource: Resource, root: Object, mark: str | None, change: Object) -> None:
    body = {"metadata": {"annotations": {ANNOTATION: mark}}, **change}
    await client.patch(resource, name_of(root), body, namespace=namespace_of(root), field_manager=FIELD_MANAGER)


async def _set_active(client: Client, workload: Object, *, active: bool) -> None:
    body = suspension.change_in_queue(not active)
    await client.patch(
        WORKLOADS, name_of(workload), body, namespace=namespace_of(workload), field_manager=FIELD_MANAGER
    )
