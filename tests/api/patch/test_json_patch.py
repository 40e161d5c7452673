from typing import Any

import pytest

from sidings.api.patch import json_patch
from sidings.api.status import BadRequest, Invalid

DOCUMENT: dict[str, Any] = {"a": {"b/c": 1, "d~e": 2}, "list": [1, 2], "t": True, "n": None}


@pytest.mark.parametrize(
    ("operation", "result"),
    [
        ({"op": "add", "path": "/x", "value": {"y": 1}}, {**DOCUMENT, "x": {"y": 1}}),
        ({"op": "add", "path": "/list/-", "value": 3}, {**DOCUMENT, "list": [1, 2, 3]}),
        ({"op": "add", "path": "/list/0", "value": 0}, {**DOCUMENT, "list": [0, 1, 2]}),
        ({"op": "add", "path": "/list/2", "value": 3}, {**DOCUMENT, "list": [1, 2, 3]}),
        ({"op": "add", "path": "", "value": {"all": 1}}, {"all": 1}),
        ({"op": "remove", "path": "/a/b~1c"}, {**DOCUMENT, "a": {"d~e": 2}}),
        ({"op": "remove", "path": "/list/1"}, {**DOCUMENT, "list": [1]}),
        ({"op": "replace", "path": "/a/d~0e", "value": 3}, {**DOCUMENT, "a": {"b/c": 1, "d~e": 3}}),
        ({"op": "replace", "path": "/list/0", "value": 9}, {**DOCUMENT, "list": [9, 2]}),
        ({"op": "replace", "path": "", "value": {}}, {}),
        (
            {"op": "move", "from": "/list", "path": "/a/list"},
            {"a": {**DOCUMENT["a"], "list": [1, 2]}, "t": True, "n": None},
        ),
        ({"op": "copy", "from": "/list/0", "path": "/first"}, {**DOCUMENT, "first": 1}),
        ({"op": "test", "path": "/a", "value": {"b/c": 1, "d~e": 2}}, DOCUMENT),
        ({"op": "test", "path": "/n", "value": None}, DOCUMENT),
        ({"op": "test", "path": "/gone", "value": None}, DOCUMENT),
    ],
)
def test_an_operation_applies(operation: dict[str, Any], result: dict[str, Any]) -> None:
    before = repr(DOCUMENT)
    assert json_patch.apply(DOCUMENT, [operation]) == result
    assert repr(DOCUMENT) == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/list/0", "value": 2},
        {"op": "test", "path": "/t", "value": 1},
        {"op": "test", "path": "/list", "value": [1, True]},
        {"op": "remove", "path": "/gone/x"},
        {"op": "remove", "path": "/list/2"},
        {"op": "remove", "path": "/list/01"},
        {"op": "remove", "path": ""},
        {"op": "replace", "path": "/gone", "value": 1},
        {"op": "replace", "path": "", "value": []},
        {"op": "add", "path": "/gone/x", "value": 1},
        {"op": "add", "path": "/list/3", "value": 1},
        {"op": "add", "path": "/t/x", "value": 1},
        {"op": "add", "path": "x", "value": 1},
        {"op": "add", "path": "/x"},
        {"op": "move", "from": "/gone", "path": "/x"},
        {"op": "frobnicate", "path": "/x"},
        {"path": "/x"},
    ],
)
def test_an_operation_that_does_not_apply_is_refused_without_a_reason(operation: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as caught:
        json_patch.apply(DOCUMENT, [{"op": "add", "path": "/new", "value": 1}, operation])
    assert caught.value.message == "the server rejected our request due to an error in our request"
    assert "new" not in DOCUMENT


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"op": "x"}, "json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
        ([1], "json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"),
    ],
)
def test_what_is_no_list_of_operations_cannot_be_read(patch: Any, message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        json_patch.apply(DOCUMENT, patch)
    assert caught.value.message == f"error decoding patch: {message}"


def test_a_patch_has_a_limit() -> None:
    operation = {"op": "test", "path": "/t", "value": True}
    assert json_patch.apply(DOCUMENT, [operation] * json_patch.MAX_OPERATIONS) == DOCUMENT
    with pytest.raises(BadRequest, match="maximum operations in a JSON patch is 10000, got 10001"):
        json_patch.apply(DOCUMENT, [operation] * (json_patch.MAX_OPERATIONS + 1))
