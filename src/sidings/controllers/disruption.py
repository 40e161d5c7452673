"""The status of a PodDisruptionBudget, which people and ``kubectl drain`` users read.

Whether a pod may be evicted is decided by the API from the pods themselves (``registry/subresources``), so nothing
waits for this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from sidings.api import disruption, timestamps
from sidings.api.objects import Key, Object, copy_of, namespace_of
from sidings.api.resources import DISRUPTION_BUDGETS, PODS, Resource
from sidings.controllers.runtime.controller import Controller, Mapper

SETTLE_SECONDS = 0.5


def _namespace(obj: Object) -> tuple[Key, ...]:
    return (Key(namespace_of(obj), ""),)


class Disruption(Controller):
    """Writes the status of all budgets of a namespace; a key is a namespace."""

    name = "disruption-controller"
    resource = DISRUPTION_BUDGETS
    triggers: ClassVar[Mapping[Resource, Mapper]] = {PODS: _namespace}

    def keys(self, obj: Object) -> Iterable[Key]:
        return _namespace(obj)

    def settle_seconds(self, obj: Object) -> float:
        return SETTLE_SECONDS

    async def reconcile(self, key: Key) -> float | None:
        budgets = (await self.client.list(DISRUPTION_BUDGETS, key.namespace)).items
        if not budgets:
            return None
        pods = (await self.client.list(PODS, key.namespace)).items
        moment = timestamps.to_text(self.clock.now())
        for budget in budgets:
            status = disruption.status(budget, pods, moment)
            if status != budget.get("status"):
                changed = copy_of(budget)
                changed["status"] = status
                await self.client.update(DISRUPTION_BUDGETS, changed, subresource="status", field_manager=self.name)
        return None
