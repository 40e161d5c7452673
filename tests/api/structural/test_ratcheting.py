import pytest

from sidings.api import structural
from sidings.api.cel import rules
from sidings.api.structural.ratcheting import MISSING, is_unchanged, partner

ITEM = {
    "type": "object",
    "required": ["name"],
    "properties": {"name": {"type": "string"}, "size": {"maximum": 9, "type": "integer"}},
}
SCHEMA = {
    "type": "object",
    "properties": {
        "colour": {"type": "string", "enum": ["red", "blue"]},
        "note": {"type": "string"},
        "size": {"type": "integer"},
        "labels": {"type": "object", "additionalProperties": {"type": "string", "maxLength": 3}},
        "parts": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
            "items": ITEM,
        },
        "loose": {"type": "array", "items": ITEM},
        "both": {"type": "object", "allOf": [{"required": ["x"]}], "properties": {"y": {"type": "integer"}}},
    },
}


def complaints(new, old):
    return [error.field for error in structural.validate(SCHEMA, new, old=old)]


def test_what_was_wrong_before_is_borne_while_something_else_changes() -> None:
    assert complaints({"colour": "green", "note": "b"}, {"colour": "green", "note": "a"}) == []
    assert complaints({"colour": "black", "note": "a"}, {"colour": "green", "note": "a"}) == ["colour"]
    assert [error.field for error in structural.validate(SCHEMA, {"colour": "green"})] == ["colour"]


def test_within_maps_and_lists_that_are_maps_old_values_are_found() -> None:
    assert complaints({"labels": {"a": "long", "b": "x"}}, {"labels": {"a": "long"}}) == []
    assert complaints({"labels": {"b": "long"}}, {"labels": {"a": "long"}}) == ["labels.b"]
    old = {"parts": [{"name": "a", "size": 10}, {"name": "b", "size": 1}]}
    assert complaints({"parts": [{"name": "b", "size": 2}, {"name": "a", "size": 10}]}, old) == []
    assert complaints({"parts": [{"name": "b", "size": 10}, {"name": "a", "size": 10}]}, old) == ["parts[0].size"]


def test_items_of_other_lists_are_nobodys_successors() -> None:
    old = {"loose": [{"name": "a", "size": 10}]}
    assert complaints(old | {"note": "new"}, old) == [], "the list as a whole is what it was"
    assert complaints({"loose": [{"name": "a", "size": 10}, {"name": "b"}]}, old) == ["loose[0].size"]


def test_what_a_changed_object_lacks_is_its_own_mistake() -> None:
    old = {"parts": [{"size": 1}], "both": {"y": 1}}
    assert complaints(old | {"note": "x"}, old) == []
    assert complaints(old | {"both": {"y": 2}}, old) == ["both.x"]


def test_true_is_not_one() -> None:
    assert complaints({"size": True}, {"size": 1}) == ["size"]
    assert not is_unchanged({"a": [1]}, {"a": [True]})
    assert is_unchanged({"a": [{"b": None}]}, {"a": [{"b": None}]})


@pytest.mark.parametrize(
    ("old", "found"), [([{"k": 1, "v": 2}], {"k": 1, "v": 2}), ([{"k": True}], MISSING), ("x", MISSING)]
)
def test_partners(old, found) -> None:
    assert partner({"k": 1}, old, ("k",)) == found


def test_the_status_is_compared_with_the_status() -> None:
    schema = {"type": "object", "properties": {"status": SCHEMA}}
    old = {"status": {"colour": "green"}}
    assert structural.validate_status(schema, {"status": {"colour": "green", "note": "b"}}, old=old) == []
    assert len(structural.validate_status(schema, {"status": {"colour": "green"}}, old={})) == 1


def test_rules_are_borne_likewise_but_for_those_about_the_change() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "x-kubernetes-validations": [{"rule": "self < 3", "message": "too large"}]},
            "o": {"type": "integer", "x-kubernetes-validations": [{"rule": "self > oldSelf", "message": "must grow"}]},
        },
    }
    assert list(rules.broken(schema, {"n": 5, "o": 2}, {"n": 5, "o": 1})) == []
    assert [error.field for error in rules.broken(schema, {"n": 6, "o": 1}, {"n": 5, "o": 1})] == ["n", "o"]
