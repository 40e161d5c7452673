import pytest

from sidings.api.resources import CRDS, Resource
from sidings.api.status import Invalid

WIDGETS = Resource("example.com", "v1", "widgets", "Widget")
SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {"size": {"type": "integer", "default": 3}, "colour": {"type": "string", "enum": ["red"]}},
        },
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
    },
}


def definition(*, group="example.com", plural="widgets", kind="Widget", schema=SCHEMA, **version):
    served = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
        **version,
    }
    return {
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": plural, "kind": kind},
            "versions": [served],
        },
    }


async def test_objects_can_be_written_as_soon_as_their_definition_is(api):
    assert api.registry.catalog.by_word("widgets") is None
    made = await api.create(CRDS, definition())
    assert [c["type"] for c in made["status"]["conditions"]] == ["NamesAccepted", "Established"]
    widget = await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"colour": "red", "weight": 1}})
    assert widget["spec"] == {"colour": "red", "size": 3}


async def test_what_the_schema_refuses_is_refused(api):
    await api.create(CRDS, definition())
    with pytest.raises(Invalid, match=r'spec\.colour: Unsupported value: "blue": supported values: "red"'):
        await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"colour": "blue"}})


async def test_a_changed_definition_is_served_changed(api):
    made = await api.create(CRDS, definition())
    made = {**made, "spec": definition(schema={"type": "object"})["spec"] | {"names": made["spec"]["names"]}}
    await api.update(CRDS, made)
    widget = await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 9}})
    assert "spec" not in widget


async def test_objects_that_a_stricter_definition_would_refuse_can_be_changed(api):
    made = await api.create(CRDS, definition())
    widget = await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"colour": "red", "size": 9}})
    properties = {"size": {"type": "integer", "maximum": 5}, "colour": {"type": "string", "enum": ["red", "blue"]}}
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    await api.update(CRDS, {**made, "spec": definition(schema=schema)["spec"] | {"names": made["spec"]["names"]}})
    changed = await api.update(WIDGETS, {**widget, "spec": {"colour": "blue", "size": 9}})
    assert changed["spec"] == {"colour": "blue", "size": 9}
    with pytest.raises(Invalid, match=r"spec\.size in body should be less than or equal to 5"):
        await api.update(WIDGETS, {**changed, "spec": {"colour": "blue", "size": 8}})


async def test_a_definition_of_a_kind_of_ours_changes_nothing(api):
    before = api.registry.catalog
    await api.create(CRDS, definition(group="jobset.x-k8s.io", plural="jobsets", kind="JobSet"))
    assert api.registry.catalog is before


async def test_a_deleted_definition_waits_for_its_objects(api):
    await api.create(CRDS, definition())
    await api.registry.delete(api.kind(CRDS), "widgets.example.com")
    assert api.get(CRDS, "widgets.example.com")["metadata"]["deletionTimestamp"]
    assert api.registry.catalog.by_word("widgets") is not None
    await api.patch(CRDS, "widgets.example.com", {"metadata": {"finalizers": None}})
    assert api.registry.catalog.by_word("widgets") is None


async def test_rules_of_the_schema_hold(api):
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"size": {"type": "integer"}, "name": {"type": "string"}},
                "x-kubernetes-validations": [
                    {"rule": "self.size < 10", "message": "size is too big"},
                    {"rule": "self.name == oldSelf.name", "message": "name is immutable"},
                ],
            }
        },
    }
    await api.create(CRDS, definition(schema=schema))
    with pytest.raises(Invalid, match="spec: Invalid value: size is too big"):
        await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 12, "name": "a"}})
    await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 2, "name": "a"}})
    with pytest.raises(Invalid, match="spec: Invalid value: name is immutable"):
        await api.patch(WIDGETS, "w", {"spec": {"name": "b"}})


async def test_a_rule_that_cannot_be_run_is_refused_with_the_definition(api):
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "semver(self.a).isGreaterThan(1)"}]}
    with pytest.raises(Invalid, match=r"openAPIV3Schema.x-kubernetes-validations\[0\].rule.*compilation failed"):
        await api.create(CRDS, definition(schema=schema))


def in_two_versions():
    """v1 is stored; v2 has another schema."""
    made = definition(subresources={"status": {}, "scale": SCALE})
    v1 = made["spec"]["versions"][0]
    colours = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"colour": {"type": "string"}}}},
    }
    v2 = {**v1, "name": "v2", "storage": False, "schema": {"openAPIV3Schema": colours}}
    made["spec"]["versions"].append(v2)
    return made


SCALE = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
WIDGETS_2 = WIDGETS._replace(version="v2")


async def test_every_version_shows_the_same_objects(api):
    await api.create(CRDS, in_two_versions())
    made = await api.create(WIDGETS_2, {"metadata": {"name": "w"}, "spec": {"colour": "blue"}})
    assert made["apiVersion"] == "example.com/v2"
    assert api.get(WIDGETS, "w")["apiVersion"] == "example.com/v1"
    assert api.get(WIDGETS, "w")["spec"] == {"colour": "blue"}
    page = api.registry.list(api.kind(WIDGETS_2), "default")
    assert [item.object["apiVersion"] for item in page.items] == ["example.com/v2"]
    assert b'"example.com/v2"' in page.items[0].data


async def test_a_write_is_checked_by_the_version_it_is_written_in(api):
    await api.create(CRDS, in_two_versions())
    with pytest.raises(Invalid, match=r"spec\.colour"):
        await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"colour": "blue"}})
    made = await api.create(WIDGETS_2, {"metadata": {"name": "w"}, "spec": {"colour": "blue", "size": 9}})
    assert made["spec"] == {"colour": "blue"}, "v2 has no size, neither as field nor as default"


async def test_versions_change_the_same_object(api):
    await api.create(CRDS, in_two_versions())
    made = await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {}})
    changed = await api.patch(WIDGETS_2, "w", {"spec": {"colour": "blue"}})
    assert changed["apiVersion"] == "example.com/v2"
    assert changed["metadata"]["generation"] == made["metadata"]["generation"] + 1
    told = await api.patch(WIDGETS_2, "w", {"status": {"ready": True}}, subresource="status")
    assert "status" not in told, "v2 knows no status"
    stored = api.get(WIDGETS, "w")
    again = await api.update(WIDGETS_2, {**stored, "apiVersion": "example.com/v2", "spec": {"colour": "red"}})
    assert (again["apiVersion"], again["spec"]) == ("example.com/v2", {"colour": "red"})
    gone = await api.registry.delete(api.kind(WIDGETS_2), "w", "default")
    assert gone["status"] == "Success"


async def test_scale_has_one_version_whatever_its_object_is_seen_in(api):
    await api.create(CRDS, in_two_versions())
    await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {"size": 2}})
    for resource in (WIDGETS, WIDGETS_2):
        scale = api.registry.get(api.kind(resource), "w", "default", subresource="scale").object
        assert (scale["apiVersion"], scale["kind"], scale["spec"]) == ("autoscaling/v1", "Scale", {"replicas": 2})


async def test_a_watch_shows_the_version_that_is_watched(api):
    await api.create(CRDS, in_two_versions())
    await api.create(WIDGETS, {"metadata": {"name": "w"}, "spec": {}})
    seen = api.registry.watch(api.kind(WIDGETS_2), "default")
    assert (await anext(seen)).object["apiVersion"] == "example.com/v2"
    await seen.aclose()


async def test_a_version_in_which_objects_are_stored_stays(api):
    made = await api.create(CRDS, in_two_versions())
    assert made["status"]["storedVersions"] == ["v1"]
    moved = {
        **made,
        "spec": {**made["spec"], "versions": [{**v, "storage": v["name"] == "v2"} for v in made["spec"]["versions"]]},
    }
    moved = await api.update(CRDS, moved)
    assert moved["status"]["storedVersions"] == ["v1", "v2"]
    alone = {**moved, "spec": {**moved["spec"], "versions": moved["spec"]["versions"][1:]}}
    with pytest.raises(Invalid, match=r'status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions'):
        await api.update(CRDS, alone)
    await api.patch(CRDS, made["metadata"]["name"], {"status": {"storedVersions": ["v2"]}}, subresource="status")
    alone["metadata"] = api.get(CRDS, made["metadata"]["name"])["metadata"]
    assert [v["name"] for v in (await api.update(CRDS, alone))["spec"]["versions"]] == ["v2"]
