"""When managed fields change; which ones they are is tested in ``tests/api/apply``."""

from __future__ import annotations

from sidings.api.objects import Object, copy_of
from sidings.api.resources import CONFIG_MAPS, JOB_SETS


async def test_whoever_changes_a_field_owns_it(api, config_map: Object) -> None:
    await api.create(CONFIG_MAPS, config_map, field_manager="maker")
    patched = await api.patch(CONFIG_MAPS, "c", {"data": {"k": "w"}}, field_manager="changer")
    owners = {entry["manager"]: entry["fieldsV1"] for entry in patched["metadata"]["managedFields"]}
    assert owners["changer"] == {"f:data": {"f:k": {}}}
    assert owners["maker"] == {"f:data": {}}


async def test_a_status_has_owners_of_its_own(api, jobset: Object) -> None:
    obj = copy_of(await api.create(JOB_SETS, jobset))
    obj["status"] = {"restarts": 1}
    written = await api.update(JOB_SETS, obj, subresource="status", field_manager="controller")
    entry = next(e for e in written["metadata"]["managedFields"] if e["manager"] == "controller")
    assert entry["subresource"] == "status"
    assert "f:spec" not in entry["fieldsV1"]


async def test_sending_back_what_was_read_changes_no_times(api, config_map: Object) -> None:
    created = await api.create(CONFIG_MAPS, config_map)
    api.clock.advance(3600)
    sent = copy_of(created)
    sent["metadata"]["managedFields"][0]["time"] = "2020-01-01T00:00:00Z"
    assert await api.update(CONFIG_MAPS, sent) == created
