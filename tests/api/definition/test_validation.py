import pytest

from sidings.api.definition import validation

SCHEMA = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}


def version(name="v1", **fields):
    return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": SCHEMA}, **fields}


def complaints(*versions, name="widgets.example.com", **spec):
    names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
    obj = {
        "metadata": {"name": name},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "conversion": {"strategy": "None"},
            **spec,
            "names": names | spec.get("names", {}),
            "versions": list(versions) or [version()],
        },
    }
    return [str(error) for error in validation.errors(obj)]


def test_a_good_definition():
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    rich = version(
        additionalPrinterColumns=[column],
        subresources={"scale": scale},
        selectableFields=[{"jsonPath": ".spec.size"}],
    )
    assert complaints(rich, version("v2")) == []


@pytest.mark.parametrize(
    ("spec", "complaint"),
    [
        ({"name": "w.example.com"}, 'metadata.name: Invalid value: "w.example.com": must be spec.names.plural'),
        ({"group": "local", "name": "widgets.local"}, 'spec.group: Invalid value: "local": should be a domain with'),
        ({"scope": "Galaxy"}, 'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'),
        ({"scope": None}, "spec.scope: Required value"),
        ({"names": {"listKind": "Widget"}}, 'spec.names.listKind: Invalid value: "Widget": kind and listKind may not'),
        ({"preserveUnknownFields": True}, "spec.preserveUnknownFields: Invalid value: true: must be false in order"),
        ({"conversion": {"strategy": "Magic"}}, 'spec.conversion.strategy: Unsupported value: "Magic"'),
        ({"names": {"kind": "9x"}}, 'spec.names.kind: Invalid value: "9x": may have mixed case, but should '),
    ],
)  # fmt: skip
def test_what_is_refused(spec, complaint):
    (found,) = complaints(**spec)
    assert found.startswith(complaint)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"name": "V1", "storage": True}, 'spec.versions[0].name: Invalid value: "V1"'),
        ({"deprecationWarning": "old"}, 'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set'),
        ({"schema": None}, "spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required"),
        ({"storage": False}, 'spec.versions: Invalid value: ["v1"]: must have exactly one version marked as'),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".a"}]},
            'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date',
        ),
        (
            {"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".a[?(@.x==1"}]},
            "spec.additionalPrinterColumns[0].jsonPath: Invalid value",
        ),
        (
            {"subresources": {"scale": {"specReplicasPath": ".size", "statusReplicasPath": ".status.size"}}},
            'spec.subresources.scale.specReplicasPath: Invalid value: ".size": should be a json path',
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec.colour"}]},
            'spec.selectableFields[0].jsonPath: Invalid value: ".spec.colour": is an invalid path',
        ),
        (
            {"selectableFields": [{"jsonPath": ".spec"}]},
            'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of',
        ),
    ],
)  # fmt: skip
def test_what_is_refused_of_a_version(fields, complaint):
    (found,) = complaints(version(**fields))
    assert found.startswith(complaint)


def test_what_versions_have_in_common_is_told_once():
    column = {"additionalPrinterColumns": [{"name": "A", "type": "text", "jsonPath": ".a"}]}
    (told,) = complaints(version(**column), version("v2", storage=False, **column))
    assert told.startswith("spec.additionalPrinterColumns[0].type: ")
    (told,) = complaints(version(), version("v2", storage=False, **column))
    assert told.startswith("spec.versions[1].additionalPrinterColumns[0].type: ")


def test_the_schema_of_a_version_is_where_versions_differ():
    wrong = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {}}}}
    (told,) = complaints(version(schema=wrong))
    assert told.startswith("spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty")
    (told,) = complaints(version(), version("v2", storage=False, schema=wrong))
    assert told.startswith("spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value")


def test_webhooks_convert_nothing_here():
    webhook = {"strategy": "Webhook", "webhook": {"clientConfig": {"url": "https://example.com"}}}
    assert complaints(version(), version("v2", served=False), conversion=webhook) == []
    (refused,) = complaints(version(), version("v2"), conversion=webhook)
    assert "conversion webhooks are not called by this server" in refused and "use strategy None" in refused


def test_versions_have_names_of_their_own():
    assert complaints(version(), version(storage=False)) == [
        'spec.versions: Invalid value: ["v1","v1"]: must contain unique version names'
    ]
