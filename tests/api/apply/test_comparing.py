from typing import Any

import pytest

from sidings.api.apply import comparing
from sidings.api.apply.fieldset import FieldSet, text_of
from tests.api.apply.schema import SPEC


def texts(fields: FieldSet) -> list[str]:
    return sorted(text_of(path) for path in fields)


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"image": "i", "args": ["a"]}, [".args", ".image"]),
        ({"selector": {"a": "b"}, "nodeSelector": {"a": "b"}}, [".nodeSelector.a", ".selector"]),
        ({"nodeSelector": {}, "image": None}, [".image", ".nodeSelector"]),
        ({"jobs": []}, []),
        (
            {"jobs": [{"name": "a", "template": {}}]},
            ['.jobs[name="a"]', '.jobs[name="a"].name', '.jobs[name="a"].template'],
        ),
        ({"extra": {"x": {"y": 1}}}, [".extra.x", ".extra.x.y"]),
    ],
)
def test_an_applied_configuration_claims_its_leaves_and_list_elements(value: Any, fields: list[str]) -> None:
    assert texts(comparing.fields_of(value, SPEC)) == fields


@pytest.mark.parametrize(
    ("old", "new", "added", "modified", "removed"),
    [
        ({"image": "i"}, {"image": "i"}, [], [], []),
        ({"image": "i"}, {"image": "j"}, [], [".image"], []),
        ({}, {"nodeSelector": {"a": "b"}}, [".nodeSelector", ".nodeSelector.a"], [], []),
        ({"nodeSelector": {"a": "b"}}, {"nodeSelector": {"c": "d"}}, [".nodeSelector.c"], [], [".nodeSelector.a"]),
        ({"nodeSelector": {"a": "b"}}, {}, [], [], [".nodeSelector", ".nodeSelector.a"]),
        ({"nodeSelector": None}, {"nodeSelector": {}}, [], [".nodeSelector"], []),
        ({"nodeSelector": None}, {"nodeSelector": {"a": "b"}}, [".nodeSelector.a"], [], []),
        ({}, {"nodeSelector": {}}, [".nodeSelector"], [], []),
        ({}, {"selector": {"a": "b"}, "args": ["a"], "image": None}, [".args", ".image", ".selector"], [], []),
        (
            {},
            {"jobs": [{"name": "a", "replicas": 1}, {"name": "b"}, {"name": "b"}]},
            [".jobs", '.jobs[name="a"]', '.jobs[name="a"].name', '.jobs[name="a"].replicas', '.jobs[name="b"]'],
            [],
            [],
        ),
        ({"selector": {"a": "b"}}, {"selector": {"a": "c"}}, [], [".selector"], []),
        ({"args": ["a"]}, {"args": ["a", "b"]}, [], [".args"], []),
        (
            {"jobs": [{"name": "a", "replicas": 1}]},
            {"jobs": [{"name": "b"}, {"name": "a", "replicas": 2}]},
            ['.jobs[name="b"]', '.jobs[name="b"].name'],
            ['.jobs[name="a"].replicas'],
            [],
        ),
        ({"jobs": [{"name": "a"}]}, {"jobs": []}, [], [], ['.jobs[name="a"]', '.jobs[name="a"].name']),
        (
            {"jobs": [{"name": "a"}, {"name": "a"}]},
            {"jobs": [{"name": "a"}]},
            [],
            ['.jobs[name="a"]'],
            [],
        ),
        ({"extra": {"x": 1}}, {"extra": {"x": {"y": 1}}}, [], [".extra.x"], []),
    ],
)
def test_two_versions_differ_by_fields(
    old: Any, new: Any, added: list[str], modified: list[str], removed: list[str]
) -> None:
    difference = comparing.compare(old, new, SPEC)
    assert (texts(difference.added), texts(difference.modified), texts(difference.removed)) == (
        added,
        modified,
        removed,
    )
    assert texts(difference.changed) == sorted(added + modified)
