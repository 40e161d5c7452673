from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidings.api.apply.fieldset import FieldSet, field, key
from sidings.api.apply.merging import merge, remove
from sidings.api.objects import copy_of
from tests.api.apply.schema import SPEC


@pytest.mark.parametrize(
    ("live", "applied", "result"),
    [
        ({"image": "i", "replicas": 1}, {"image": "j"}, {"image": "j", "replicas": 1}),
        ({"nodeSelector": {"a": "b"}}, {"nodeSelector": {"c": "d"}}, {"nodeSelector": {"a": "b", "c": "d"}}),
        ({"nodeSelector": {"a": "b"}}, {"nodeSelector": {}}, {"nodeSelector": {"a": "b"}}),
        ({"nodeSelector": {"a": "b"}}, {"nodeSelector": None}, {"nodeSelector": {"a": "b"}}),
        ({"selector": {"a": "b"}}, {"selector": {"c": "d"}}, {"selector": {"c": "d"}}),
        ({"args": ["a"]}, {"args": ["b"]}, {"args": ["b"]}),
        ({"jobs": [{"name": "a"}]}, {"jobs": []}, {"jobs": [{"name": "a"}]}),
        (
            {"jobs": [{"name": "a", "replicas": 2}]},
            {"jobs": [{"name": "a", "template": {"image": "i"}}]},
            {"jobs": [{"name": "a", "replicas": 2, "template": {"image": "i"}}]},
        ),
        (
            {"ports": [{"port": 1, "protocol": "TCP"}]},
            {"ports": [{"port": 1, "name": "web"}]},
            {"ports": [{"port": 1, "protocol": "TCP", "name": "web"}]},
        ),
        ({"extra": {"x": {"y": 1}}}, {"extra": {"x": {"z": 2}}}, {"extra": {"x": {"y": 1, "z": 2}}}),
    ],
)
def test_what_is_not_mentioned_stays(live: Any, applied: Any, result: Any) -> None:
    before = copy_of(live)
    assert merge(live, applied, SPEC) == result
    assert live == before


def jobs(names: str) -> dict[str, Any]:
    return {"jobs": [{"name": name} for name in names]}


def names_of(value: dict[str, Any]) -> str:
    return "".join(job["name"] for job in value["jobs"])


@pytest.mark.parametrize(
    ("live", "applied", "result"),
    [
        ("ab", "bc", "abc"),
        ("ab", "ba", "ba"),
        ("abx", "ba", "bxa"),
        ("xab", "ab", "xab"),
        ("axb", "ab", "axb"),
        ("ab", "cab", "cab"),
        ("ab", "acb", "acb"),
        ("abxy", "c", "abxyc"),
    ],
)
def test_shared_elements_take_the_applied_order(live: str, applied: str, result: str) -> None:
    assert names_of(merge(jobs(live), jobs(applied), SPEC)) == result


@given(st.permutations("abcdef"), st.integers(0, 6), st.permutations("defghi"), st.integers(0, 6))
def test_no_element_is_lost_and_the_applied_order_holds(
    live: list[str], some: int, applied: list[str], more: int
) -> None:
    before, wanted = "".join(live[:some]), "".join(applied[:more])
    result = names_of({"jobs": [], **merge(jobs(before), jobs(wanted), SPEC)})
    assert sorted(result) == sorted(set(before) | set(wanted))
    assert [name for name in result if name in wanted] == list(wanted)
    assert [name for name in result if name not in wanted] == [name for name in before if name not in wanted]


@pytest.mark.parametrize(
    ("value", "paths", "result"),
    [
        ({"image": "i", "replicas": 1}, [(field("image"),)], {"replicas": 1}),
        ({"nodeSelector": {"a": "b"}, "replicas": 1}, [(field("nodeSelector"), field("a"))], {"replicas": 1}),
        ({"nodeSelector": {"a": "b"}}, [(field("nodeSelector"), field("a"))], None),
        (
            {"jobs": [{"name": "a", "replicas": 1}, {"name": "b"}]},
            [(field("jobs"), key({"name": "a"}), field("replicas")), (field("jobs"), key({"name": "b"}))],
            {"jobs": [{"name": "a"}]},
        ),
        ({"image": "i"}, [(field("gone"),)], {"image": "i"}),
    ],
)
def test_fields_are_taken_out_of_a_value(value: Any, paths: list[Any], result: Any) -> None:
    assert remove(value, FieldSet(paths), SPEC) == result
