import pytest

from sidings.api.equality import semantically_equal


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ({"a": 1}, {"a": 1, "b": None}, True),
        ({"a": 1}, {"a": 1, "b": ""}, True),
        ({"a": 1}, {"a": 1, "b": []}, True),
        ({"spec": {"c": []}}, {"spec": {}}, True),
        ({}, {"labels": {}}, True),
        ({}, {"resources": {"limits": {}}}, True),
        ({}, {"podAffinity": {}}, False),
        ({}, {"replicas": 0}, False),
        ({}, {"suspend": False}, False),
        ([{"metadata": {}}], [{}], True),
        ({"a": 1}, {"a": 2}, False),
    ],
)
def test_what_is_empty_is_mostly_not_there(left: object, right: object, equal: bool) -> None:
    assert semantically_equal(left, right) is equal
    assert semantically_equal(right, left) is equal
