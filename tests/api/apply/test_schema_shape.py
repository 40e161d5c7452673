import pytest

from sidings.api.apply import schema_shape as shape
from tests.api.apply.schema import SPEC

PROPERTIES = SPEC["properties"]


def test_lists_are_keyed_sets_or_one_piece() -> None:
    assert shape.list_keys(PROPERTIES["ports"]) == ("port", "protocol")
    assert shape.list_keys(PROPERTIES["jobs"]) == ("name",)
    assert shape.list_keys(PROPERTIES["args"]) is None
    assert shape.list_keys({"x-kubernetes-list-type": "set"}) == ()
    assert shape.list_keys({"x-kubernetes-patch-strategy": "merge"}) == ()
    assert shape.list_keys({"x-kubernetes-list-type": "atomic", "x-kubernetes-patch-strategy": "merge"}) is None


def test_a_struct_has_declared_fields_and_a_map_any() -> None:
    assert shape.is_declared(SPEC, "image")
    assert shape.member(SPEC, "imagee") is None
    assert not shape.is_declared(PROPERTIES["nodeSelector"], "a")
    assert shape.member(PROPERTIES["nodeSelector"], "a") == {"type": "string"}
    assert shape.member(PROPERTIES["extra"], "a") is shape.ANYTHING


def test_a_missing_key_has_its_default() -> None:
    ports = PROPERTIES["ports"]
    assert shape.elements([{"port": 1}, {"port": 1, "protocol": "UDP"}], ports) == [
        'k:{"port":1,"protocol":"TCP"}',
        'k:{"port":1,"protocol":"UDP"}',
    ]


@pytest.mark.parametrize(
    ("item", "keys", "complaint"),
    [
        (None, (), "an explicit null"),
        ({}, (), "a map type"),
        ([], (), "lists of lists"),
        (None, ("name",), "may not have a null element"),
        ("x", ("name",), "may not have non-map elements"),
        ({"replicas": 1}, ("name",), r'omits all key fields \["name"\]'),
    ],
)
def test_some_items_are_no_elements(item: object, keys: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        shape.element(item, PROPERTIES["jobs"], keys)


def test_a_list_with_such_an_item_is_one_piece() -> None:
    assert shape.elements([{"name": "a"}, {}], PROPERTIES["jobs"]) is None
