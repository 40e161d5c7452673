"""How Go names and prints JSON values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sidings.api import golang


@pytest.mark.parametrize(
    ("value", "word"),
    [(None, "null"), (True, "bool"), (1, "number"), (1.5, "number"), ("", "string"), ([], "array"), ({}, "object")],
)
def test_words_for_types(value: Any, word: str) -> None:
    assert golang.json_type(value) == word


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "<nil>"), (True, "true"), ("a b", "a b"), ({"b": ["x", 1], "a": {}}, "map[a:map[] b:[x 1]]")],
)
def test_printed(value: Any, text: str) -> None:
    assert golang.text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"apiGroup": "g", "kind": "k", "name": "n"}, '{"name": "n", "apiGroup": "g", "kind": "k"}'),
        (
            [{"image": "i", "resources": {}, "name": "x", "env": [{"value": "1", "name": "E"}]}],
            '[{"name": "x", "image": "i", "env": [{"name": "E", "value": "1"}], "resources": {}}]',
        ),
        (
            {"replicas": 1, "template": {"spec": {"suspend": False, "template": {}, "completions": 2}}, "name": "n"},
            '{"name": "n", "template": {"spec": {"completions": 2, "template": {}, "suspend": false}}, "replicas": 1}',
        ),
        ({"z": 1, "a": 2}, '{"a": 2, "z": 1}'),
    ],
)
def test_keys_in_the_order_of_their_struct(value: Any, text: str) -> None:
    assert json.dumps(golang.in_struct_order(value)) == text
