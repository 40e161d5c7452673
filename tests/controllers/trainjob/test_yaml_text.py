"""YAML as Go writes it."""

from __future__ import annotations

import pytest
import yaml

from sidings.controllers.trainjob import yaml_text


@pytest.mark.parametrize("text", ["y", "no", "true", "1", "1.5", "null", "~", "", "2026-01-01T00:00:00Z", "0x1f"])
def test_strings_that_could_be_something_else_are_quoted(text: str) -> None:
    dumped = yaml_text.dump({"a": text})
    assert dumped == f'a: "{text}"\n'
    assert yaml.safe_load(dumped) == {"a": text}


@pytest.mark.parametrize("text", ["img:1", "a b", "pytorch/pytorch:2.13.0", "-c", "x" * 300])
def test_other_strings_are_bare(text: str) -> None:
    assert yaml_text.dump({"a": text}) == f"a: {text}\n"


def test_lines_are_a_block() -> None:
    assert yaml_text.dump({"a": '{"b":"c"}\n'}) == 'a: |\n  {"b":"c"}\n'


def test_keys_are_in_natural_order() -> None:
    keys = ["b", "a10", "a9", ".", "f:x", 'k:{"containerPort":29500}', 'k:{"containerPort":8080}']
    assert list(yaml.safe_load(yaml_text.dump(dict.fromkeys(keys, 1)))) == [
        ".", "a9", "a10", "b", "f:x", 'k:{"containerPort":8080}', 'k:{"containerPort":29500}',
    ]  # fmt: skip


def test_same_object_twice_is_written_twice() -> None:
    shared = {"x": 1}
    assert yaml_text.dump({"a": shared, "b": shared}) == "a:\n  x: 1\nb:\n  x: 1\n"


def test_lists_are_not_indented() -> None:
    assert yaml_text.dump({"a": [{"b": 1, "c": []}, "d"]}) == "a:\n- b: 1\n  c: []\n- d\n"
