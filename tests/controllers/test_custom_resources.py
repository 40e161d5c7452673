"""A deleted definition takes its objects along; custom objects are collected like all others."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from sidings.api import conditions
from sidings.api.objects import Object
from sidings.api.resources import CONFIG_MAPS, CRDS, NAMESPACES, Resource
from sidings.api.status import NotFound
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
WIDGETS = Resource("example.com", "v1", "widgets", "Widget")
DEFINITION: Object = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}},
        ],
    },
}


def widget(namespace: str = "default", **metadata: Any) -> Object:
    return {
        "apiVersion": "example.com/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "namespace": namespace, **metadata},
    }


async def is_gone(plane: ControlPlane, resource: Resource, name: str, namespace: str = "") -> bool:
    try:
        await plane.client.get(resource, name, namespace)
    except NotFound:
        return True
    return False


async def test_a_deleted_definition_takes_its_objects_along(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CRDS, DEFINITION)
    await plane.client.create(WIDGETS, widget(finalizers=["example.com/wait"]))
    await plane.client.delete(CRDS, "widgets.example.com")
    await plane.clock.sleep(2)
    assert (await plane.client.get(WIDGETS, "w", "default"))["metadata"]["deletionTimestamp"]
    await plane.client.patch(WIDGETS, "w", {"metadata": {"finalizers": None}}, namespace="default")
    await until(lambda: is_gone(plane, CRDS, "widgets.example.com"))


async def test_custom_objects_own_and_are_collected(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CRDS, DEFINITION)
    await plane.clock.sleep(1)
    owner = await plane.client.create(WIDGETS, widget())
    reference = {"apiVersion": "example.com/v1", "kind": "Widget", "name": "w", "uid": owner["metadata"]["uid"]}
    owned = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "m", "namespace": "default", "ownerReferences": [reference]},
    }
    await plane.client.create(CONFIG_MAPS, owned)
    await plane.client.delete(WIDGETS, "w", "default")
    await until(lambda: is_gone(plane, CONFIG_MAPS, "m", "default"))


async def test_a_deleted_namespace_takes_custom_objects_along(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CRDS, DEFINITION)
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    await plane.client.create(WIDGETS, widget("team"))
    await plane.client.delete(NAMESPACES, "team")
    await until(lambda: is_gone(plane, NAMESPACES, "team"))
    assert (await plane.client.list(WIDGETS)).items == []


def of_versions(*versions: Object) -> Object:
    schema = {"schema": {"openAPIV3Schema": {"type": "object"}}}
    return {**DEFINITION, "spec": {**DEFINITION["spec"], "versions": [{**each, **schema} for each in versions]}}


async def test_an_owner_may_be_named_in_any_of_its_versions(plane: ControlPlane, until: Until) -> None:
    two = ({"name": "v1", "served": True, "storage": True}, {"name": "v2", "served": True, "storage": False})
    await plane.client.create(CRDS, of_versions(*two))
    await plane.clock.sleep(1)
    owner = await plane.client.create(WIDGETS, widget())
    reference = {"apiVersion": "example.com/v2", "kind": "Widget", "name": "w", "uid": owner["metadata"]["uid"]}
    owned = {"name": "m", "namespace": "default", "ownerReferences": [reference]}
    await plane.client.create(CONFIG_MAPS, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": owned})
    await plane.clock.sleep(2)
    await plane.client.get(CONFIG_MAPS, "m", "default")
    await plane.client.delete(WIDGETS, "w", "default")
    await until(lambda: is_gone(plane, CONFIG_MAPS, "m", "default"))


async def test_a_definition_that_serves_nothing_stops_nobody(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CRDS, of_versions({"name": "v1", "served": False, "storage": True}))
    await plane.clock.sleep(1)
    await plane.client.delete(CRDS, "widgets.example.com")
    await until(lambda: is_gone(plane, CRDS, "widgets.example.com"))


async def test_a_definition_that_waits_for_a_name_gets_it(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(CRDS, DEFINITION)
    names = {"plural": "gadgets", "kind": "Widget"}
    spec = {**DEFINITION["spec"], "names": names}
    made = await plane.client.create(CRDS, {**DEFINITION, "metadata": {"name": "gadgets.example.com"}, "spec": spec})
    assert not conditions.is_true(made, "Established")
    await plane.client.delete(CRDS, "widgets.example.com")

    async def is_served() -> bool:
        return conditions.is_true(await plane.client.get(CRDS, "gadgets.example.com"), "Established")

    await until(is_served)


async def test_a_definition_that_was_never_served_can_be_deleted(plane: ControlPlane, until: Until) -> None:
    names = {"plural": "sets", "kind": "JobSet"}
    spec = {**DEFINITION["spec"], "group": "jobset.x-k8s.io", "names": names}
    await plane.client.create(CRDS, {**DEFINITION, "metadata": {"name": "sets.jobset.x-k8s.io"}, "spec": spec})
    await plane.client.delete(CRDS, "sets.jobset.x-k8s.io")
    await until(lambda: is_gone(plane, CRDS, "sets.jobset.x-k8s.io"))
