import pytest

from sidings.api.cel.types import most_occurrences, of_schema


@pytest.mark.parametrize(
    ("schema", "shown", "most", "least"),
    [
        ({"type": "integer"}, "int", 0, 1),
        ({"type": "boolean"}, "bool", 0, 4),
        ({"type": "string"}, "string", 3145726, 2),
        ({"type": "string", "maxLength": 10}, "string", 40, 2),
        ({"type": "string", "enum": ["a", "bcd"]}, "string", 3, 2),
        ({"type": "string", "format": "byte", "maxLength": 10}, "bytes", 10, 2),
        ({"type": "string", "format": "date-time"}, "timestamp", 32, 21),
        ({"type": "array", "items": {"type": "integer"}}, "list(int)", 1572863, 2),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 5}, "list(int)", 5, 2),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "map(string, string)", 393215, 2),
        ({"x-kubernetes-int-or-string": True}, "dyn", 3145726, 1),
    ],
)
def test_types_of_schemas(schema, shown, most, least):
    found = of_schema(schema)
    assert (str(found), found.most, found.least_bytes) == (shown, most, least)


def test_objects_have_fields_and_roots_have_names():
    schema = {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"default": 1}}}
    found = of_schema(schema)
    assert list(found.fields) == ["a"], "what has no type does not exist"
    assert found.least_bytes == 2 + 1 + 2 + 4
    root = of_schema({**schema, "properties": {"metadata": {"type": "object"}}}, is_root=True)
    assert sorted(root.fields) == ["apiVersion", "kind", "metadata"]
    assert sorted(root.fields["metadata"].fields) == ["generateName", "name"]


def test_what_rules_cannot_see():
    assert of_schema({"x-kubernetes-preserve-unknown-fields": True}) is None
    assert of_schema({"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}}) is None


def test_how_often_a_value_can_be_there():
    assert most_occurrences(of_schema({"type": "object"})) == 1048576
