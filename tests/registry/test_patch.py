"""PATCH in its three formats without managed fields."""

from __future__ import annotations

import asyncio

import pytest

from sidings.api.objects import Object
from sidings.api.options import STRICT
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, PODS
from sidings.api.status import BadRequest, Conflict, Invalid, NotFound, UnsupportedMediaType
from sidings.registry.patch import JSON, STRATEGIC


async def test_a_merge_patch_changes_what_it_names(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    patched = await api.patch(CONFIG_MAPS, "c", {"data": {"k": None, "l": "1"}, "metadata": {"labels": {"a": "b"}}})
    assert patched["data"] == {"l": "1"}
    assert patched["metadata"]["labels"] == {"a": "b"}


async def test_patches_that_race_all_happen(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    await asyncio.gather(*(api.patch(CONFIG_MAPS, "c", {"data": {str(n): "x"}}) for n in range(20)))
    assert len(api.get(CONFIG_MAPS, "c")["data"]) == 21


async def test_a_patch_that_names_a_stale_version_conflicts(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    with pytest.raises(Conflict, match="the object has been modified"):
        await api.patch(CONFIG_MAPS, "c", {"metadata": {"resourceVersion": "1", "labels": {"x": "y"}}})


async def test_a_patch_that_changes_nothing_writes_nothing(api, config_map: Object) -> None:
    created = await api.create(CONFIG_MAPS, config_map)
    api.clock.advance(60)
    assert await api.patch(CONFIG_MAPS, "c", {}) == created
    assert await api.patch(CONFIG_MAPS, "c", {"metadata": {"generation": 77}}) == created
    moved = {"metadata": {"creationTimestamp": "2001-01-01T00:00:00Z"}}
    assert await api.patch(CONFIG_MAPS, "c", moved) == created


async def test_identity_cannot_be_patched(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    with pytest.raises(BadRequest, match=r"the name of the object \(b\) does not match"):
        await api.patch(CONFIG_MAPS, "c", {"metadata": {"name": "b"}})
    with pytest.raises(BadRequest, match="the namespace of the provided object does not match"):
        await api.patch(CONFIG_MAPS, "c", {"metadata": {"namespace": "b"}})
    with pytest.raises(Invalid) as caught:
        await api.patch(CONFIG_MAPS, "c", {"metadata": {"uid": "x"}})
    assert caught.value.message == 'ConfigMap "c" is invalid: metadata.uid: Invalid value: "x": field is immutable'
    assert len(caught.value.causes) == 2, "upstream checks the metadata twice (recorded)"


async def test_an_unknown_field_in_strict_mode_is_about_the_patch(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    with pytest.raises(Invalid) as caught:
        await api.patch(CONFIG_MAPS, "c", {"qqq": 1}, field_validation=STRICT)
    assert caught.value.message.startswith(' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",')
    assert caught.value.message.endswith('strict decoding error: unknown field "qqq"')
    await api.patch(CONFIG_MAPS, "c", {"qqq": 1})
    assert api.warnings == ['unknown field "qqq"']


async def test_a_json_patch(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map)
    patched = await api.patch(CONFIG_MAPS, "c", [{"op": "add", "path": "/metadata/labels", "value": {"z": "1"}}], JSON)
    assert patched["metadata"]["labels"] == {"z": "1"}
    with pytest.raises(Invalid) as caught:
        await api.patch(CONFIG_MAPS, "c", [{"op": "test", "path": "/metadata/name", "value": "q"}], JSON)
    assert caught.value.to_status()["details"] == {}


async def test_a_strategic_patch_is_for_built_in_kinds(api, pod: Object, jobset: Object) -> None:
    await api.create(PODS, pod)
    patched = await api.patch(PODS, "p", {"spec": {"containers": [{"name": "c", "image": "j"}]}}, STRATEGIC)
    assert patched["spec"]["containers"][0]["imagePullPolicy"] == "Always"
    assert patched["spec"]["containers"][0]["image"] == "j"
    assert patched["metadata"]["generation"] == 2
    await api.create(JOB_SETS, jobset)
    with pytest.raises(UnsupportedMediaType, match=r"application/json-patch.json, application/merge-patch.json"):
        await api.patch(JOB_SETS, "js", {}, STRATEGIC)


async def test_a_missing_object(api) -> None:
    with pytest.raises(NotFound, match=r'configmaps "zz" not found'):
        await api.patch(CONFIG_MAPS, "zz", {})


async def test_clients_may_edit_managed_fields(api, config_map: Object) -> None:
    """kubectl's migration from client-side to server-side apply does."""
    await api.create(CONFIG_MAPS, config_map)
    patched = await api.patch(
        CONFIG_MAPS, "c", [{"op": "replace", "path": "/metadata/managedFields", "value": [{}]}], JSON
    )
    assert not patched["metadata"].get("managedFields")
