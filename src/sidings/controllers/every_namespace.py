"""Controllers of what every namespace has: it comes with the namespace, and again when somebody deletes it.

What somebody changed in ``FIELDS`` is put right; all other fields stay as they are found.
"""

from __future__ import annotations

from collections.abc import Mapping

from sidings.api.objects import Key, Object, is_deleting, name_of, namespace_of
from sidings.api.resources import NAMESPACES, Resource
from sidings.api.status import AlreadyExists, NotFound
from sidings.controllers.runtime.controller import Controller, Mapper

FIELDS = ("data", "endpoints", "ports")


def namespace_of_any(*names: str) -> Mapper:
    """For ``triggers``: the namespace of an object that has one of ``names``."""
    return lambda obj: (Key("", namespace_of(obj)),) if name_of(obj) in names else ()


class InEveryNamespace(Controller):
    """Subclasses say what there is to be, and have triggers by which they see it go."""

    resource = NAMESPACES

    def contents(self, namespace: str) -> Mapping[Resource, Object]:
        """What is to be in ``namespace``; objects may leave that out of their metadata."""
        raise NotImplementedError(f"{type(self).__name__} must say what every namespace has")

    async def reconcile(self, key: Key) -> float | None:
        try:
            if is_deleting(await self.client.get(NAMESPACES, key.name)):
                return None
        except NotFound:
            return None
        for resource, wanted in self.contents(key.name).items():
            await self._ensure(resource, wanted, key.name)
        return None

    async def _ensure(self, resource: Resource, wanted: Object, namespace: str) -> None:
        name = name_of(wanted)
        try:
            live = await self.client.get(resource, name, namespace)
        except NotFound:
            try:
                await self.client.create(resource, wanted, namespace=namespace, field_manager=self.name)
            except AlreadyExists:
                await self._ensure(resource, wanted, namespace)
            return
        changed = {field: wanted[field] for field in FIELDS if field in wanted and live.get(field) != wanted[field]}
        if changed:
            await self.client.patch(resource, name, changed, namespace=namespace, field_manager=self.name)
