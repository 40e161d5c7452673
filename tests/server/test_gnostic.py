"""The protobuf of an OpenAPI v2 document, read back by field number."""

from typing import Any

from sidings.api.protobuf import wire
from sidings.server import gnostic

DOCUMENT = {
    "swagger": "2.0",
    "info": {"title": "T", "version": "1"},
    "paths": {
        "/api/v1/widgets": {
            "patch": {
                "x-kubernetes-action": "patch",
                "parameters": [{"name": "dryRun", "in": "query", "type": "string"}],
                "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/W"}}},
            }
        }
    },
    "definitions": {
        "W": {
            "type": "object",
            "description": "A widget.",
            "required": ["a"],
            "properties": {
                "a": {"type": "string", "enum": ["x", "y"], "default": "x", "maxLength": 300},
                "b": {"type": "array", "items": {"type": "integer", "minimum": 0.5}},
                "c": {"type": "object", "additionalProperties": {"type": "string"}, "x-kubernetes-map-type": "atomic"},
            },
        }
    },
}


def messages(data: bytes) -> dict[int, list[Any]]:
    found: dict[int, list[Any]] = {}
    for number, _, value in wire.fields(data):
        found.setdefault(number, []).append(value)
    return found


def at(data: Any, *path: int) -> Any:
    """The first value at a path of field numbers."""
    for number in path:
        data = messages(data)[number][0]
    return data


def test_the_frame() -> None:
    whole = gnostic.encode(DOCUMENT)
    assert at(whole, 1) == b"2.0"
    assert (at(whole, 2, 1), at(whole, 2, 2)) == (b"T", b"1")
    assert at(whole, 8, 2, 1) == b"/api/v1/widgets"


def test_an_operation() -> None:
    patch = at(gnostic.encode(DOCUMENT), 8, 2, 2, 8)
    query = at(patch, 8, 1, 2, 3)
    assert (at(query, 2), at(query, 4), at(query, 6)) == (b"query", b"dryRun", b"string")
    assert (at(patch, 9, 1, 1), at(patch, 9, 1, 2, 1, 1)) == (b"200", b"OK")
    assert at(patch, 9, 1, 2, 1, 2, 1, 1) == b"#/definitions/W"
    assert (at(patch, 13, 1), at(patch, 13, 2, 2)) == (b"x-kubernetes-action", b'"patch"')


def test_a_schema() -> None:
    named = at(gnostic.encode(DOCUMENT), 9, 1)
    assert at(named, 1) == b"W"
    widget = at(named, 2)
    assert (at(widget, 4), at(widget, 19), at(widget, 22, 1)) == (b"A widget.", b"a", b"object")
    a, b, c = (at(each, 2) for each in messages(at(widget, 25))[1])
    assert [at(value, 2) for value in messages(a)[20]] == [b'"x"', b'"y"']
    assert (at(a, 5, 2), at(a, 11)) == (b'"x"', 300)
    assert at(b, 23, 1, 22, 1) == b"integer"
    assert at(b, 23, 1, 9).to_bytes(8, "little") == b"\0\0\0\0\0\0\xe0?"
    assert at(c, 21, 1, 22, 1) == b"string"
    assert (at(c, 31, 1), at(c, 31, 2, 2)) == (b"x-kubernetes-map-type", b'"atomic"')
