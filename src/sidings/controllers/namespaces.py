"""Deleting a namespace: empty it, then let it go.

The API marks it Terminating and keeps it for the finalizer ``kubernetes`` in ``spec.finalizers``; this controller
deletes everything in it, waits until nothing is left, and strikes the finalizer through ``/finalize``. What is still
there is said in the namespace's conditions, with upstream's words (v1.36, ``pkg/controller/namespace/deletion``).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sidings.api import timestamps
from sidings.api.conditions import find
from sidings.api.objects import Key, Object, copy_of, is_deleting
from sidings.api.resources import NAMESPACES, Resource
from sidings.api.status import NotFound
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.runtime.plan import Delete, Plan, carry_out

FINALIZER = "kubernetes"
CONTENT_REMAINS = "NamespaceContentRemaining"
FINALIZERS_REMAIN = "NamespaceFinalizersRemaining"
LOOK_AGAIN_SECONDS = 0.25


class Leftover(NamedTuple):
    """An object that still is in the namespace."""

    resource: Resource
    obj: Object


class Namespaces(Controller):
    """Empties namespaces that are being deleted."""

    name = "namespace-controller"
    resource = NAMESPACES

    def __init__(
        self, client: Client, clock: Clock, rng: random.Random, contents: Callable[[], Sequence[Resource]]
    ) -> None:
        """``contents`` tells the resources that a namespace may hold now: a definition may have added some."""
        super().__init__(client, clock, rng)
        self._contents = contents

    async def reconcile(self, key: Key) -> float | None:
        try:
            namespace = await self.client.get(NAMESPACES, key.name)
        except NotFound:
            return None
        if not is_deleting(namespace):
            return None
        leftovers = [
            Leftover(resource, obj)
            for resource in self._contents()
            for obj in (await self.client.list(resource, key.name)).items
        ]
        await carry_out(
            self.client,
            Plan(deletes=[Delete(item.resource, item.obj) for item in leftovers if not is_deleting(item.obj)]),
            field_manager=self.name,
        )
        if leftovers:
            await self._say_what_remains(namespace, leftovers)
            return LOOK_AGAIN_SECONDS
        await self._let_go(namespace)
        return None

    async def _say_what_remains(self, namespace: Object, leftovers: Sequence[Leftover]) -> None:
        conditions = remaining_conditions(namespace, leftovers, timestamps.to_text(self.clock.now()))
        if conditions == (namespace.get("status") or {}).get("conditions"):
            return
        changed = copy_of(namespace)
        changed["status"]["conditions"] = conditions
        await self.client.update(NAMESPACES, changed, subresource="status", field_manager=self.name)

    async def _let_go(self, namespace: Object) -> None:
        changed = copy_of(namespace)
        changed.setdefault("spec", {})["finalizers"] = [
            name for name in namespace.get("spec", {}).get("finalizers") or () if name != FINALIZER
        ]
        try:
            await self.client.update(NAMESPACES, changed, subresource="finalize", field_manager=self.name)
        except NotFound:
            return


def remaining_conditions(namespace: Object, leftovers: Sequence[Leftover], moment: str) -> list[Object]:
    """The two conditions that tell what a deletion still waits for: objects, and finalizers on them."""
    objects: dict[str, int] = {}
    finalizers: dict[str, int] = {}
    for resource, obj in leftovers:
        objects[resource.group_resource] = objects.get(resource.group_resource, 0) + 1
        for finalizer in obj["metadata"].get("finalizers") or ():
            finalizers[finalizer] = finalizers.get(finalizer, 0) + 1
    content = ", ".join(f"{name} has {count} resource instances" for name, count in sorted(objects.items()))
    waiting = ", ".join(f"{name} in {count} resource instances" for name, count in sorted(finalizers.items()))
    wanted = [
        (CONTENT_REMAINS, "SomeResourcesRemain", f"Some resources are remaining: {content}"),
        (
            FINALIZERS_REMAIN,
            "SomeFinalizersRemain",
            f"Some content in the namespace has finalizers remaining: {waiting}",
        ),
    ]
    before = (namespace.get("status") or {}).get("conditions")
    conditions = []
    for type_, reason, message in wanted:
        if type_ == FINALIZERS_REMAIN and not finalizers:
            continue
        known = find(before, type_)
        since = known["lastTransitionTime"] if known and known["status"] == "True" else moment
        conditions.append(
            {"type": type_, "status": "True", "reason": reason, "message": message, "lastTransitionTime": since}
        )
    return conditions
