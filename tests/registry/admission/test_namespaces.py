"""Where objects may be made, and which namespaces may go."""

from __future__ import annotations

import pytest

from sidings.api.options import DeleteOptions
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, NODES
from sidings.api.status import Forbidden, NotFound


async def test_objects_need_a_namespace_that_is_there(api) -> None:
    with pytest.raises(NotFound, match=r'^namespaces "nope" not found$'):
        await api.create(CONFIG_MAPS, {"metadata": {"name": "c"}}, namespace="nope")
    await api.create(NODES, {"metadata": {"name": "n"}})


async def test_nothing_new_in_a_namespace_that_goes_but_what_is_there_can_change(api) -> None:
    await api.create(NAMESPACES, {"metadata": {"name": "team"}})
    await api.create(CONFIG_MAPS, {"metadata": {"name": "old"}}, namespace="team")
    await api.registry.delete(api.kind(NAMESPACES), "team")
    with pytest.raises(Forbidden) as caught:
        await api.create(CONFIG_MAPS, {"metadata": {"name": "late"}}, namespace="team")
    assert caught.value.to_status()["details"] == {
        "name": "late",
        "kind": "configmaps",
        "causes": [
            {
                "reason": "NamespaceTerminating",
                "message": "namespace team is being terminated",
                "field": "metadata.namespace",
            }
        ],
    }
    await api.patch(CONFIG_MAPS, "old", {"data": {"still": "writable"}}, namespace="team")


@pytest.mark.parametrize("name", ["default", "kube-system", "kube-public"])
async def test_some_namespaces_stay(api, name: str) -> None:
    if name != "default":
        await api.create(NAMESPACES, {"metadata": {"name": name}})
    with pytest.raises(Forbidden, match=f'^namespaces "{name}" is forbidden: this namespace may not be deleted$'):
        await api.registry.delete(api.kind(NAMESPACES), name, "", DeleteOptions(dry_run=True))
