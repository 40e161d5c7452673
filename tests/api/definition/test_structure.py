import pytest

from sidings.api.definition import structure


def complaints(schema):
    return [str(error) for error in structure.errors(schema, "s")]


def with_field(**schema):
    return {"type": "object", "properties": {"spec": schema}}


def test_a_structural_schema():
    keyed = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {
            "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 9}}},
            "port": {"x-kubernetes-int-or-string": True},
            "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "list": {
                "type": "array",
                "items": keyed,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            "size": {"type": "integer", "default": 3},
        },
    }
    assert complaints(schema) == []


@pytest.mark.parametrize(
    ("schema", "complaint"),
    [
        ({}, "s.type: Required value: must not be empty at the root"),
        ({"type": "string"}, 's.type: Invalid value: "string": must be object at the root'),
        (
            with_field(properties={}),
            "s.properties[spec].type: Required value: must not be empty for specified object fields",
        ),
        (
            with_field(type="array", items={}),
            "s.properties[spec].items.type: Required value: must not be empty for specified array items",
        ),
        (with_field(type="array"), "s.properties[spec].items: Required value: must be specified"),
        (
            with_field(type="string", pattern="+"),
            's.properties[spec].pattern: Invalid value: "+": must be a valid regular expression, but isn\'t: '
            "error parsing regexp: missing argument to repetition operator: `+`",
        ),
        (
            with_field(type="object", anyOf=[{}, {"not": {"properties": {"a": {"items": {"pattern": "a(?!b)"}}}}}]),
            's.properties[spec].anyOf[1].not.properties[a].items.pattern: Invalid value: "a(?!b)": must be a valid '
            "regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?!`",
        ),
        (
            with_field(type="int"),
            's.properties[spec].type: Unsupported value: "int": supported values: "array", "boolean", "integer", '
            '"number", "object", "string"',
        ),
        (
            with_field(type="object", properties={"a": {"type": "string"}}, additionalProperties={"type": "string"}),
            "s.properties[spec]: Forbidden: additionalProperties and properties are mutual exclusive",
        ),
        (
            with_field(type="object", additionalProperties=False),
            "s.properties[spec].additionalProperties: Forbidden: additionalProperties cannot be set to false",
        ),
        (with_field(type="object", **{"$ref": "#/x"}), "s.properties[spec].$ref: Forbidden: $ref is not supported"),
        (
            with_field(type="array", items={"type": "string"}, uniqueItems=True),
            "s.properties[spec].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity "
            "becomes quadratic",
        ),
        (
            with_field(type="array", items={"type": "object"}, **{"x-kubernetes-list-type": "map"}),
            "s.properties[spec].x-kubernetes-list-map-keys: Required value: must not be empty if "
            "x-kubernetes-list-type is map",
        ),
        (
            with_field(type="integer", default="three"),
            's.properties[spec].default: Invalid value: "string": s.properties[spec].default in body must be of type '
            'integer: "string"',
        ),
        (
            {"type": "object", "properties": {"metadata": {"type": "object", "nullable": True}}},
            "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but "
            "metadata is implicitly specified",
        ),
    ],
)
def test_what_is_not(schema, complaint):
    assert complaints(schema) == [complaint]


def test_keys_of_a_list_are_there_in_every_item():
    items = {"type": "object", "properties": {"name": {"type": "string"}}}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"]}
    assert complaints(with_field(type="array", items=items, **keys)) == [
        "s.properties[spec].items.properties[name].default: Required value: this property is in "
        "x-kubernetes-list-map-keys, so it must have a default or be a required property",
        's.properties[spec].x-kubernetes-list-map-keys[1]: Invalid value: "port": entries must all be names of item '
        "properties",
    ]
