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
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "quantity(self.a).isGreaterThan(1)"}]}
    with pytest.raises(Invalid, match=r"openAPIV3Schema.x-kubernetes-validations\[0\].rule.*compilation failed"):
        await api.create(CRDS, definition(schema=schema))
