"""Immutable fields of a schema."""

from __future__ import annotations

from typing import Any

from sidings.api import immutability

RULE = [{"rule": "self == oldSelf", "message": "field is immutable"}]
SCHEMA: dict[str, Any] = {
    "properties": {
        "fixed": {"x-kubernetes-validations": RULE},
        "free": {},
        "items": {
            "x-kubernetes-list-map-keys": ["name"],
            "items": {"properties": {"fixed": {"x-kubernetes-validations": RULE}}},
        },
        "atomic": {"items": {"properties": {"fixed": {"x-kubernetes-validations": RULE}}}},
        "keyed": {"x-kubernetes-list-map-keys": ["name"], "x-kubernetes-validations": RULE, "items": {}},
        "map": {"additionalProperties": {"x-kubernetes-validations": RULE}},
    }
}


def errors(new: Any, old: Any) -> list[str]:
    return [str(error) for error in immutability.changes(SCHEMA, new, old)]


def test_scalar_shows_its_value_and_object_does_not() -> None:
    assert errors({"fixed": 2}, {"fixed": 1}) == ["fixed: Invalid value: 2: field is immutable"]
    assert errors({"fixed": {"a": 2}}, {"fixed": {"a": 1}}) == ["fixed: Invalid value: field is immutable"]


def test_equal_and_free_fields_may_pass() -> None:
    assert errors({"fixed": 1, "free": 2}, {"fixed": 1, "free": 1}) == []


def test_whole_field_may_be_added_and_removed() -> None:
    assert errors({"fixed": 1}, {}) == []
    assert errors({}, {"fixed": 1}) == []
    assert errors({"fixed": None}, {"fixed": 1}) == []


def test_list_items_are_followed_by_their_keys() -> None:
    old = {"items": [{"name": "a", "fixed": 1}, {"name": "b", "fixed": 2}]}
    assert errors({"items": [{"name": "b", "fixed": 2}, {"name": "a", "fixed": 1}]}, old) == []
    assert errors({"items": [{"name": "b", "fixed": 3}]}, old) == [
        "items[0].fixed: Invalid value: 3: field is immutable"
    ]


def test_items_of_atomic_lists_have_no_identity() -> None:
    assert errors({"atomic": [{"fixed": 2}]}, {"atomic": [{"fixed": 1}]}) == []


def test_order_of_a_keyed_list_does_not_matter() -> None:
    a, b = {"name": "a"}, {"name": "b"}
    assert errors({"keyed": [a, b]}, {"keyed": [b, a]}) == []
    assert errors({"keyed": [a]}, {"keyed": [b, a]}) == ["keyed: Invalid value: field is immutable"]


def test_values_of_a_map_are_followed() -> None:
    assert errors({"map": {"k": 2}}, {"map": {"k": 1}}) == ["map.k: Invalid value: 2: field is immutable"]
