from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.objects import copy_of
from sidings.api.patch import merge
from sidings.api.status import BadRequest

scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab", max_size=2)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
maps = st.dictionaries(st.sampled_from("abc"), values, max_size=3)


@pytest.mark.parametrize(
    ("document", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        ({"a": 1}, None, {"a": 1}),
    ],
)
def test_the_examples_of_rfc_7396(document: dict[str, Any], patch: Any, result: Any) -> None:
    assert merge.apply(document, patch) == result


@pytest.mark.parametrize(("patch", "word"), [([], "array"), ("x", "string"), (1, "number"), (True, "bool")])
def test_a_patch_that_is_no_map_is_refused(patch: Any, word: str) -> None:
    with pytest.raises(BadRequest) as caught:
        merge.apply({}, patch)
    assert caught.value.message == (
        f"error decoding patch: json: cannot unmarshal {word} into Go value of type map[string]interface {{}}"
    )


@given(maps, maps)
def test_applying_twice_is_applying_once_and_changes_no_input(document: Any, patch: Any) -> None:
    before, wanted = copy_of(document), copy_of(patch)
    once = merge.apply(document, patch)
    assert merge.apply(once, patch) == once
    assert (document, patch) == (before, wanted)


@given(maps, maps)
def test_every_leaf_of_the_patch_is_in_the_result(document: Any, patch: Any) -> None:
    result = merge.apply(document, patch)
    for key, value in patch.items():
        assert (key not in result) if value is None else isinstance(value, dict) or result[key] == value
    assert all(result[key] == document[key] for key in document.keys() - patch.keys())
