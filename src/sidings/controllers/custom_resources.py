"""CustomResourceDefinitions: one that is deleted takes its objects along, and leaves its names to others.

The API keeps the definition for the finalizer ``customresourcecleanup.apiextensions.k8s.io``; here its objects are
deleted, and when the last one is gone (their own finalizers may take a while) so is the finalizer. Upstream this is the
``crdFinalizer`` of ``k8s.io/apiextensions-apiserver`` (v0.36), and its ``NamingConditionController``.
"""

from __future__ import annotations

from sidings.api import conditions
from sidings.api.definition.accepted_names import NAMES_ACCEPTED
from sidings.api.kinds.custom_resource_definition import CLEANUP, resources_of
from sidings.api.objects import Key, is_deleting
from sidings.api.resources import CRDS, Resource
from sidings.api.status import NotFound
from sidings.controllers.runtime.controller import Controller
from sidings.controllers.runtime.plan import Delete, Plan, carry_out

LOOK_AGAIN_SECONDS = 0.25


class CustomResources(Controller):
    """Empties definitions that are being deleted, and has those judged anew that wait for a name."""

    name = "custom-resource-finalizer"
    resource = CRDS

    async def reconcile(self, key: Key) -> float | None:
        await self._judge_waiting(key)
        try:
            definition = await self.client.get(CRDS, key.name)
        except NotFound:
            return None
        finalizers = definition["metadata"].get("finalizers") or []
        if not is_deleting(definition) or CLEANUP not in finalizers:
            return None
        for resource in resources_of(definition)[:1]:
            if await self._empty(resource):
                return LOOK_AGAIN_SECONDS
        change = {"metadata": {"finalizers": [name for name in finalizers if name != CLEANUP] or None}}
        await self.client.patch(CRDS, key.name, change, field_manager=self.name)
        return None

    async def _judge_waiting(self, changed: Key) -> None:
        """Every write has admission look at the names again; one that finds nothing new is none."""
        group = changed.name.partition(".")[2]
        for definition in (await self.client.list(CRDS)).items:
            if definition["spec"]["group"] == group and not conditions.is_true(definition, NAMES_ACCEPTED):
                await self.client.patch(CRDS, definition["metadata"]["name"], {}, field_manager=self.name)

    async def _empty(self, resource: Resource) -> bool:
        """Delete all objects of ``resource``; False once there are none."""
        objects = (await self.client.list(resource)).items
        plan = Plan(deletes=[Delete(resource, obj) for obj in objects if not is_deleting(obj)])
        await carry_out(self.client, plan, field_manager=self.name)
        return bool(objects)
