from sidings.api import structural
from sidings.api.definition import accepted_names
from sidings.api.kinds.custom_resource_definition import KIND, kinds_of, resources_of

RULES = KIND.rules


def definition(**spec):
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "required": ["size"],
                "properties": {"size": {"type": "integer"}, "colour": {"type": "string", "default": "red"}},
            }
        },
    }
    obj = {
        "metadata": {"name": "widgets.example.com", "creationTimestamp": "2026-11-30T00:00:00Z"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
                },
                {"name": "v0", "served": False, "storage": False, "schema": {"openAPIV3Schema": schema}},
            ],
            **spec,
        },
    }
    RULES.default(obj)
    RULES.default_on_create(obj)
    obj["status"] = accepted_names.judge(obj, accepted_names.Taken(frozenset(), frozenset()), "2026-11-30T00:00:00Z")
    return obj


def test_names_have_defaults():
    obj = definition()
    assert RULES.validate(obj) == []
    assert (obj["spec"]["names"]["singular"], obj["spec"]["names"]["listKind"]) == ("widget", "WidgetList")


def test_a_definition_that_is_not_established_is_not_served():
    obj = definition()
    obj["status"] = {}
    assert (kinds_of(obj), resources_of(obj)) == ([], [])


def test_each_served_version_is_a_kind():
    (kind,) = kinds_of(definition())
    assert kind.resource.path("ns") == "/apis/example.com/v1/namespaces/ns/widgets"
    assert (kind.singular, kind.short_names, kind.has_status, kind.builtin) == ("widget", ("wd",), True, False)
    assert [column.name for column in kind.columns] == ["Name", "Size"]


def test_its_schema_prunes_defaults_and_validates():
    (kind,) = kinds_of(definition())
    body = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x", "wat": 1}, "spec": {"y": 1}}
    decoded = structural.decode(kind.schema, body, builtin=False)
    assert decoded.unknown == ["metadata.wat", "spec.y"]
    structural.default(kind.schema, decoded.object)
    assert decoded.object["spec"] == {"colour": "red"}
    assert [str(error) for error in structural.validate(kind.schema, decoded.object)] == ["spec.size: Required value"]


def test_a_kind_without_columns_shows_its_age():
    obj = definition()
    del obj["spec"]["versions"][0]["additionalPrinterColumns"]
    (kind,) = kinds_of(obj)
    assert [column.name for column in kind.columns] == ["Name", "Age"]


def test_rules():
    obj = definition(scope="Galaxy", group="other.com")
    assert [error.field for error in RULES.validate(obj)] == ["metadata.name", "spec.scope"]
    obj = definition()
    obj["spec"]["versions"][0]["storage"] = False
    del obj["spec"]["versions"][0]["schema"]
    assert [error.field for error in RULES.validate(obj)] == [
        "spec.versions[0].schema.openAPIV3Schema",
        "spec.versions",
    ]


def test_names_and_scope_do_not_change():
    errors = RULES.validate_update(definition(scope="Cluster"), definition())
    assert [error.field for error in errors] == ["spec.scope"]
