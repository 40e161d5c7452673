"""What every namespace has, and what of it is whoever's who changed it."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from sidings.api.objects import Key, Object
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, Resource
from sidings.controllers.every_namespace import InEveryNamespace, namespace_of_any
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
TEAM = Key("", "team")


class Welcome(InEveryNamespace):
    name = "welcome"

    def contents(self, namespace: str) -> Mapping[Resource, Object]:
        metadata = {"name": "welcome", "labels": {"by": "us"}}
        return {CONFIG_MAPS: {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"to": namespace}}}


@pytest.fixture
async def welcome(plane: ControlPlane) -> Welcome:
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    return Welcome(plane.client, plane.clock, random.Random(0))


async def test_its_data_is_put_right_and_its_labels_are_left(plane: ControlPlane, welcome: Welcome) -> None:
    await welcome.reconcile(TEAM)
    change = {"metadata": {"labels": {"by": "them"}}, "data": {"to": "nobody"}}
    await plane.client.patch(CONFIG_MAPS, "welcome", change, namespace="team")
    await welcome.reconcile(TEAM)
    found = await plane.client.get(CONFIG_MAPS, "welcome", "team")
    assert (found["data"], found["metadata"]["labels"]) == ({"to": "team"}, {"by": "them"})


async def test_a_namespace_that_goes_or_is_gone_gets_nothing(plane: ControlPlane, welcome: Welcome) -> None:
    held = {"metadata": {"name": "holds", "finalizers": ["example.com/held"]}}
    await plane.client.create(CONFIG_MAPS, held, namespace="team")
    await plane.client.delete(NAMESPACES, "team")
    for key in (TEAM, Key("", "nowhere")):
        await welcome.reconcile(key)
    names = [obj["metadata"]["name"] for obj in (await plane.client.list(CONFIG_MAPS)).items]
    assert "holds" in names
    assert "welcome" not in names


def test_only_what_is_called_so_concerns_a_namespace() -> None:
    mapper = namespace_of_any("one", "other")
    named = [{"metadata": {"name": name, "namespace": "team"}} for name in ("one", "other", "third")]
    assert [tuple(mapper(obj)) for obj in named] == [(TEAM,), (TEAM,), ()]
