from typing import Any

import pytest

from sidings.api import schemas
from sidings.api.apply import managed
from sidings.api.kind import Kind
from sidings.api.objects import copy_of
from sidings.api.resources import CONFIG_MAPS, PODS, Resource
from tests.api.apply.schema import KIND, thing

NOW, LATER = "2026-01-01T00:00:00Z", "2026-01-01T00:00:09Z"


def builtin(resource: Resource) -> Kind:
    return Kind(resource, "", schemas.schema(resource.group, resource.version, resource.kind), builtin=True)


def entry(manager: str, fields: dict[str, Any], time: str = NOW, **rest: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "example.com/v1",
        "time": time,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        **rest,
    }


def created(spec: dict[str, Any] | None, manager: str = "m", **metadata: Any) -> dict[str, Any]:
    new = thing(spec, **metadata)
    managed.update(KIND, new, None, manager=manager, time=NOW)
    return new


def updated(
    old: dict[str, Any], new: dict[str, Any], manager: str = "n", *, subresource: str = "", time: str = LATER
) -> list[dict[str, Any]]:
    managed.update(KIND, new, old, manager=manager, subresource=subresource, time=time)
    return new["metadata"].get("managedFields", [])  # type: ignore[no-any-return]


def test_whoever_creates_an_object_owns_its_fields() -> None:
    obj = created({"image": "i", "jobs": [{"name": "a"}]}, labels={"a": "b"})
    assert obj["metadata"]["managedFields"] == [
        entry(
            "m",
            {
                "f:metadata": {"f:labels": {".": {}, "f:a": {}}},
                "f:spec": {".": {}, "f:image": {}, "f:jobs": {".": {}, 'k:{"name":"a"}': {".": {}, "f:name": {}}}},
            },
        )
    ]


def test_structs_that_a_built_in_kind_always_has_belong_to_nobody() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {}}], "dnsPolicy": "ClusterFirst"},
    }
    managed.update(builtin(PODS), pod, None, manager="m", time=NOW)
    assert pod["metadata"]["managedFields"][0]["fieldsV1"] == {  # type: ignore[index]
        "f:spec": {
            "f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}, "f:name": {}, "f:resources": {}}},
            "f:dnsPolicy": {},
        }
    }
    cm = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"k": "v"}}
    managed.update(builtin(CONFIG_MAPS), cm, None, manager="m", time=NOW)
    assert cm["metadata"]["managedFields"][0]["fieldsV1"] == {"f:data": {".": {}, "f:k": {}}}  # type: ignore[index]


def test_a_changed_field_changes_hands() -> None:
    old = created({"image": "i", "replicas": 1})
    assert updated(old, thing({"image": "j", "replicas": 1})) == [
        entry("m", {"f:spec": {".": {}, "f:replicas": {}}}),
        entry("n", {"f:spec": {"f:image": {}}}, LATER),
    ]


def test_a_removed_field_belongs_to_nobody_and_its_owner_may_vanish() -> None:
    old = created({"image": "i"})
    assert updated(old, thing({})) == [entry("m", {"f:spec": {}})]
    assert updated(old, thing()) == []


def test_a_manager_that_changes_something_has_its_time_moved() -> None:
    old = created({"image": "i", "replicas": 1})
    fields = {"f:spec": {".": {}, "f:image": {}, "f:replicas": {}}}
    assert updated(old, thing({"image": "i", "replicas": 1}), "m") == [entry("m", fields, NOW)]
    assert updated(old, thing({"image": "i", "replicas": 2}), "m") == [entry("m", fields, LATER)]


def test_a_subresource_has_entries_of_its_own() -> None:
    old = created({"image": "i"})
    new = {**copy_of(old), "status": {"restarts": 1}}
    first, second = updated(old, new, "m", subresource="status")
    assert first["fieldsV1"] == {"f:spec": {".": {}, "f:image": {}}}
    assert second == entry("m", {"f:status": {".": {}, "f:restarts": {}}}, LATER, subresource="status")


def test_a_status_sent_to_the_main_endpoint_is_owned_by_nobody() -> None:
    old = created({"image": "i"})
    new = {**thing({"image": "i"}), "status": {"restarts": 1}}
    assert updated(old, new) == old["metadata"]["managedFields"]


def test_the_list_may_be_edited_but_not_through_a_subresource() -> None:
    old = created({"image": "i"})
    mine = [entry("other", {"f:spec": {"f:image": {}}})]
    assert updated(old, thing({"image": "i"}, managedFields=mine)) == mine
    assert (
        updated(old, thing({"image": "i"}, managedFields=mine), subresource="status")
        == (old["metadata"]["managedFields"])
    )


@pytest.mark.parametrize("broken", [[{"manager": "x"}], [entry("x", {"nonsense": {}})], []])
def test_an_unreadable_list_does_not_replace_the_stored_one(broken: list[Any]) -> None:
    old = created({"image": "i"})
    new = thing({"image": "i"}, managedFields=broken)
    assert updated(old, new) == old["metadata"]["managedFields"]


def test_an_emptied_list_ends_the_tracking() -> None:
    old = created({"image": "i"})
    new = thing({"image": "i"}, managedFields=[{}])
    assert updated(old, new) == []
    assert updated(new, thing({"image": "j"})) == []


def test_entries_are_sorted_by_operation_time_and_name() -> None:
    entries = [
        entry("b", {"f:spec": {"f:image": {}}}, LATER),
        entry("c", {"f:spec": {"f:args": {}}}, NOW),
        entry("a", {"f:spec": {"f:replicas": {}}}, LATER),
        entry("z", {"f:spec": {"f:suspend": {}}}, LATER, operation="Apply"),
    ]
    written = managed.write(managed.read(entries))
    assert [e["manager"] for e in written] == ["z", "c", "a", "b"]
    assert managed.write(managed.read(written)) == written
