"""PUT: versions, what is carried over, generation, and writes that are none."""

from __future__ import annotations

import asyncio

import pytest

from sidings.api.objects import Object, copy_of
from sidings.api.resources import CONFIG_MAPS, JOB_SETS, PODS
from sidings.api.status import BadRequest, Conflict, Invalid, NotFound


async def test_a_stale_version_conflicts(api, config_map: Object) -> None:
    first = copy_of(await api.create(CONFIG_MAPS, config_map))
    changed = copy_of(first)
    changed["data"]["k"] = "w"
    await api.update(CONFIG_MAPS, changed)
    first["data"]["k"] = "x"
    with pytest.raises(Conflict) as caught:
        await api.update(CONFIG_MAPS, first)
    assert caught.value.message == (
        'Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to '
        "the latest version and try again"
    )


async def test_without_a_version_built_in_kinds_take_the_latest_and_custom_ones_refuse(
    api, config_map: Object, jobset: Object
) -> None:
    obj = copy_of(await api.create(CONFIG_MAPS, config_map))
    del obj["metadata"]["resourceVersion"]
    obj["data"]["k"] = "w"
    assert (await api.update(CONFIG_MAPS, obj))["data"] == {"k": "w"}
    custom = copy_of(await api.create(JOB_SETS, jobset))
    del custom["metadata"]["resourceVersion"]
    with pytest.raises(Invalid) as caught:
        await api.update(JOB_SETS, custom)
    assert caught.value.message == (
        'jobsets.jobset.x-k8s.io "js" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an '
        "update"
    )


async def test_unconditional_updates_that_race_all_happen(api, config_map: Object) -> None:
    obj = copy_of(await api.create(CONFIG_MAPS, config_map))
    del obj["metadata"]["resourceVersion"]
    before = api.store.revision
    await asyncio.gather(*(api.update(CONFIG_MAPS, {**obj, "data": {"k": str(n)}}) for n in range(5)))
    assert api.store.revision == before + 5


async def test_no_change_is_no_write(api, config_map: Object) -> None:
    created = await api.create(CONFIG_MAPS, config_map)
    before = api.store.revision
    api.clock.advance(60)
    same = await api.update(CONFIG_MAPS, copy_of(created))
    assert same == created
    assert api.store.revision == before


async def test_uid_and_name_in_the_body_must_be_the_objects_own(api, config_map: Object) -> None:
    obj = copy_of(await api.create(CONFIG_MAPS, config_map))
    found, obj["metadata"]["uid"] = obj["metadata"]["uid"], "00000000-0000-0000-0000-000000000000"
    with pytest.raises(Conflict) as caught:
        await api.update(CONFIG_MAPS, obj)
    assert caught.value.message == (
        'Operation cannot be fulfilled on configmaps "c": StorageError: invalid object, Code: 4, Key: '
        "/registry/configmaps/default/c, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
        f"precondition: 00000000-0000-0000-0000-000000000000, UID in object meta: {found}"
    )
    with pytest.raises(BadRequest, match=r"the name of the object \(b\) does not match the name on the URL \(c\)"):
        await api.registry.update(api.kind(CONFIG_MAPS), "c", {"metadata": {"name": "b"}}, "default", api.options())
    with pytest.raises(NotFound):
        await api.update(CONFIG_MAPS, {"metadata": {"name": "zz", "namespace": "default"}})


async def test_generation_counts_changes_of_the_spec_only(api, jobset: Object) -> None:
    obj = copy_of(await api.create(JOB_SETS, jobset))
    obj["metadata"]["labels"] = {"a": "b"}
    obj["metadata"]["generation"] = 77
    obj = copy_of(await api.update(JOB_SETS, obj))
    assert obj["metadata"]["generation"] == 1
    obj["spec"]["ttlSecondsAfterFinished"] = 9
    obj = copy_of(await api.update(JOB_SETS, obj))
    assert obj["metadata"]["generation"] == 2
    obj["status"] = {"restarts": 3}
    obj = await api.update(JOB_SETS, obj, subresource="status")
    assert obj["metadata"]["generation"] == 2
    assert obj["status"]["restarts"] == 3


async def test_each_endpoint_of_a_custom_resource_writes_its_own_part(api, jobset: Object) -> None:
    obj = copy_of(await api.create(JOB_SETS, jobset))
    obj["status"] = {"restarts": 3}
    assert "status" not in await api.update(JOB_SETS, obj)
    obj = copy_of(api.get(JOB_SETS, "js"))
    obj["status"] = {"restarts": 3}
    obj["spec"]["suspend"] = False
    obj["metadata"]["labels"] = {"a": "b"}
    written = await api.update(JOB_SETS, obj, subresource="status")
    assert written["status"] == {"restarts": 3}
    assert written["spec"]["suspend"] is True
    assert "labels" not in written["metadata"]


async def test_the_status_of_a_built_in_kind_brings_metadata_along_but_no_spec(api, pod: Object) -> None:
    obj = copy_of(await api.create(PODS, pod))
    obj["status"]["phase"] = "Running"
    obj["spec"]["hostname"] = "q"
    obj["metadata"]["labels"] = {"viastatus": "1"}
    written = await api.update(PODS, obj, subresource="status")
    assert written["status"]["phase"] == "Running"
    assert written["metadata"]["labels"] == {"viastatus": "1"}
    assert "hostname" not in written["spec"]
    assert written["metadata"]["generation"] == 1


async def test_a_status_of_the_wrong_type(api, jobset: Object) -> None:
    obj = copy_of(await api.create(JOB_SETS, jobset))
    obj["status"] = {"restarts": "x"}
    with pytest.raises(Invalid) as caught:
        await api.update(JOB_SETS, obj, subresource="status")
    assert (
        caught.value.causes[0].message == 'Invalid value: "string": restarts in body must be of type integer: "string"'
    )


async def test_a_custom_resource_of_wrong_type_is_422_on_update(api, jobset: Object) -> None:
    obj = copy_of(await api.create(JOB_SETS, jobset))
    obj["spec"]["suspend"] = "yes"
    with pytest.raises(Invalid, match=r'spec.suspend: Invalid value: "string"'):
        await api.update(JOB_SETS, obj)


async def test_an_unknown_subresource(api, config_map: Object, jobset: Object) -> None:
    obj = copy_of(await api.create(CONFIG_MAPS, config_map))
    with pytest.raises(NotFound, match="the server could not find the requested resource"):
        await api.update(CONFIG_MAPS, obj, subresource="status")
    custom = copy_of(await api.create(JOB_SETS, jobset))
    with pytest.raises(NotFound, match=r'jobsets.jobset.x-k8s.io "js" not found'):
        await api.update(JOB_SETS, custom, subresource="scale")
