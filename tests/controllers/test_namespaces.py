"""A deleted namespace is emptied, says what it waits for, and goes."""

from collections.abc import Awaitable, Callable

import pytest

from sidings.api.conditions import find
from sidings.api.resources import CONFIG_MAPS, NAMESPACES
from sidings.api.status import Forbidden, NotFound
from sidings.controllers.namespaces import Leftover, remaining_conditions
from sidings.host.control_plane import ControlPlane

pytestmark = pytest.mark.looptime
Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m", "namespace": "team"}}


async def is_gone(plane: ControlPlane) -> bool:
    try:
        await plane.client.get(NAMESPACES, "team")
    except NotFound:
        return True
    return False


async def test_it_goes_with_everything_in_it(plane: ControlPlane, until: Until) -> None:
    await plane.client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    await plane.client.create(CONFIG_MAPS, MAP)
    await plane.client.delete(NAMESPACES, "team")
    await until(lambda: is_gone(plane))
    assert (await plane.client.list(CONFIG_MAPS, "team")).items == []


async def test_it_waits_for_finalizers_and_says_so(plane: ControlPlane, until: Until) -> None:
    client = plane.client
    await client.create(NAMESPACES, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    held = {**MAP, "metadata": {**MAP["metadata"], "finalizers": ["example.com/hold"]}}  # type: ignore[dict-item]
    await client.create(CONFIG_MAPS, held)
    await client.delete(NAMESPACES, "team")

    async def says_what_remains() -> bool:
        conditions = (await client.get(NAMESPACES, "team"))["status"].get("conditions")
        condition = find(conditions, "NamespaceFinalizersRemaining")
        return condition is not None and "example.com/hold in 1 resource instances" in condition["message"]

    await until(says_what_remains)
    with pytest.raises(Forbidden):
        await client.create(CONFIG_MAPS, {**MAP, "metadata": {"name": "late", "namespace": "team"}})
    await client.patch(CONFIG_MAPS, "m", {"metadata": {"finalizers": None}}, namespace="team")
    await until(lambda: is_gone(plane))


def test_conditions_count_objects_and_keep_their_time() -> None:
    leftovers = [Leftover(CONFIG_MAPS, {"metadata": {"name": name, "finalizers": ["f"]}}) for name in ("a", "b")]
    first = remaining_conditions({"status": {}}, leftovers, "t1")
    assert [c["message"] for c in first] == [
        "Some resources are remaining: configmaps has 2 resource instances",
        "Some content in the namespace has finalizers remaining: f in 2 resource instances",
    ]
    second = remaining_conditions({"status": {"conditions": first}}, leftovers[:1], "t2")
    assert {c["lastTransitionTime"] for c in second} == {"t1"}
