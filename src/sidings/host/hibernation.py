"""Jobs that sleep while there is no engine: ``down --suspend`` and the ``up`` after it.

A job that is put to sleep is suspended like any other, so its pods write their checkpoints, and carries an annotation
by which the next engine knows that nobody else suspended it.
"""

from __future__ import annotations

from sidings.answers import suspension
from sidings.answers.family import ROOTS
from sidings.api.objects import Object, annotations_of, controller_of, key_of
from sidings.api.resources import Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client

ANNOTATION = "sidings.dev/resume-at-up"
FIELD_MANAGER = "sidings"


async def put_to_sleep(client: Client, resource: Resource, root: Object) -> None:
    """Suspend a job that a user started until the next ``up``."""
    await _set(client, resource, root, suspend=True, mark="true")


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
                await _set(client, resource, root, suspend=False, mark=None)
                slept.append(root)
    return slept


async def _set(client: Client, resource: Resource, root: Object, *, suspend: bool, mark: str | None) -> None:
    key = key_of(root)
    body = {"metadata": {"annotations": {ANNOTATION: mark}}, **suspension.change(root, suspend)}
    await client.patch(resource, key.name, body, namespace=key.namespace, field_manager=FIELD_MANAGER)
