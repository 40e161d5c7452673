from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.apply import fieldset
from sidings.api.apply.fieldset import FieldSet, Path, from_fields_v1, with_itself

elements = st.sampled_from(["f:a", "f:b", 'k:{"name":"x"}', 'k:{"name":"y"}', 'v:"z"', "i:0"])
paths = st.lists(elements, min_size=1, max_size=3).map(tuple)
sets = st.frozensets(paths, max_size=6)


@pytest.mark.parametrize(
    ("fields", "members"),
    [
        ({"f:data": {"f:a": {}, "f:b": {}}}, {("f:data", "f:a"), ("f:data", "f:b")}),
        ({"f:data": {".": {}, "f:a": {}}}, {("f:data",), ("f:data", "f:a")}),
        (
            {"f:spec": {"f:containers": {'k:{"name":"c"}': {".": {}, "f:image": {}}}}},
            {
                ("f:spec", "f:containers", 'k:{"name":"c"}'),
                ("f:spec", "f:containers", 'k:{"name":"c"}', "f:image"),
            },
        ),
        ({"f:finalizers": {".": {}, 'v:"a"': {}}}, {("f:finalizers",), ("f:finalizers", 'v:"a"')}),
        ({}, set()),
    ],
)
def test_fields_v1_is_a_set_of_paths(fields: dict[str, Any], members: set[Path]) -> None:
    assert set(from_fields_v1(fields)) == members
    assert FieldSet(members).to_fields_v1() == fields


def test_keys_are_compared_by_what_they_say() -> None:
    one = from_fields_v1({'k:{"protocol":"TCP","containerPort":80}': {}})
    assert one == FieldSet([(fieldset.key({"containerPort": 80, "protocol": "TCP"}),)])


@pytest.mark.parametrize("fields", [{"x:a": {}}, {"a": {}}, {"k:{": {}}, {"f:a": 1}])
def test_what_is_not_fields_v1_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        from_fields_v1(fields)


def test_a_path_is_written_as_conflicts_quote_it() -> None:
    path = ("f:spec", "f:ports", fieldset.key({"protocol": "TCP", "containerPort": 80}), "f:name")
    assert fieldset.text_of(path) == '.spec.ports[containerPort=80,protocol="TCP"].name'
    assert fieldset.text_of(("f:finalizers", fieldset.value("a"))) == '.finalizers[="a"]'
    assert fieldset.text_of(("f:args", "i:3")) == ".args[3]"


def test_members_come_before_what_is_below_and_fields_before_keys() -> None:
    found = list(FieldSet([("f:b", "f:c"), ("f:z",), ('k:{"a":1}',), ("f:b",), ('v:"x"',)]))
    assert found == [("f:b",), ("f:z",), ('k:{"a":1}',), ('v:"x"',), ("f:b", "f:c")]


def test_the_object_itself_is_no_field() -> None:
    assert not FieldSet([()])
    assert () not in FieldSet([("f:a",)])


@given(sets, sets)
def test_operations_are_those_of_sets_of_paths(one: frozenset[Path], other: frozenset[Path]) -> None:
    left, right = FieldSet(one), FieldSet(other)
    assert set(left | right) == one | other
    assert set(left & right) == one & other
    assert set(left - right) == one - other
    assert bool(left) == bool(one)
    assert all(path in left for path in one)
    assert not any(path in left for path in other - one)
    assert (set(left), set(right)) == (one, other)


@given(sets, sets)
def test_without_drops_what_lies_below_as_well(one: frozenset[Path], roots: frozenset[Path]) -> None:
    kept = {path for path in one if not any(path[: len(root)] == root for root in roots)}
    assert set(FieldSet(one).without(FieldSet(roots))) == kept


@given(sets)
def test_fields_v1_round_trips(paths: frozenset[Path]) -> None:
    whole = FieldSet(paths)
    assert from_fields_v1(whole.to_fields_v1()) == whole


@given(sets, sets)
def test_a_grafted_tree_is_what_lies_below(paths: frozenset[Path], below: frozenset[Path]) -> None:
    root = ("f:new", "f:part")
    grown = FieldSet(paths)
    grown.graft(root, with_itself(FieldSet(below).to_fields_v1()))
    assert set(grown) == paths | {root} | {(*root, *path) for path in below}
