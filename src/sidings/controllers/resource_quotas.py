"""What a ResourceQuota's status says: how much there may be, and how much there is.

Nothing is decided by it (``registry/admission/resource_quota`` adds up for itself); people and ``kubectl`` read
it. So changes of a busy namespace are gathered for a moment before they are added up.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import quota
from sidings.api.objects import Key, Object, copy_of, namespace_of
from sidings.api.resources import CLAIMS, CONFIG_MAPS, JOBS, PODS, RESOURCE_QUOTAS, SECRETS, SERVICES, Resource
from sidings.controllers.runtime.controller import Controller, Mapper

SETTLE_SECONDS = 0.5


def _namespace(obj: Object) -> tuple[Key, ...]:
    return (Key(namespace_of(obj), ""),)


class ResourceQuotas(Controller):
    """Writes the status of all quotas of a namespace; a key is a namespace."""

    name = "resourcequota-controller"
    resource = RESOURCE_QUOTAS
    triggers: ClassVar[Mapping[Resource, Mapper]] = dict.fromkeys(
        (PODS, SERVICES, CONFIG_MAPS, SECRETS, CLAIMS, JOBS), _namespace
    )

    def keys(self, obj: Object) -> Iterable[Key]:
        return _namespace(obj)

    def settle_seconds(self, obj: Object) -> float:
        return SETTLE_SECONDS

    async def reconcile(self, key: Key) -> float | None:
        quotas = (await self.client.list(RESOURCE_QUOTAS, key.namespace)).items
        if not quotas:
            return None
        objects = [
            (resource, obj)
            for resource in (*self.triggers, RESOURCE_QUOTAS)
            for obj in (await self.client.list(resource, key.namespace)).items
        ]
        for each in quotas:
            status = {"hard": dict(quota.hard_of(each)), "used": quota.used(each, objects)}
            if status != each.get("status"):
                changed = copy_of(each)
                changed["status"] = status
                await self.client.update(RESOURCE_QUOTAS, changed, subresource="status", field_manager=self.name)
        return None
