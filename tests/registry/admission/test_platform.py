"""Webhooks of a component that is off do not answer."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.platform.components import Component
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, Resource
from sidings.registry.admission import platform


class Objects:
    """``admission.plugin.Reader`` over a dict."""

    def __init__(self, objects: dict[Resource, list[Object]]) -> None:
        self._objects = objects

    def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        return next(obj for obj in self._objects[resource] if obj["metadata"]["name"] == name)

    def list(self, resource: Resource, namespace: str = "") -> list[Object]:
        return self._objects.get(resource, [])


def test_is_on() -> None:
    cluster = {"metadata": {"name": "dsc"}, "spec": {"components": {"trainer": {"managementState": "Managed"}}}}
    assert platform.is_on(Component.KUEUE, Objects({}))
    assert not platform.is_on(Component.KUEUE, Objects({DATA_SCIENCE_CLUSTERS: [cluster]}))
    assert platform.is_on(Component.TRAINER, Objects({DATA_SCIENCE_CLUSTERS: [cluster]}))
