from typing import Any

import pytest

from sidings.api.apply.checking import complaints
from tests.api.apply.schema import SPEC


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"image": "i", "limits": {"cpu": 1, "memory": "1Gi"}, "extra": {"any": [1]}, "replicas": None}, []),
        ({"zz": 1, "jobs": [{"name": "a", "y": 1}]}, [".zz", '.jobs[name="a"].y']),
    ],
)
def test_only_fields_of_the_schema_can_be_owned(value: Any, found: list[str]) -> None:
    assert complaints(value, SPEC) == [f"{path}: field not declared in schema" for path in found]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"jobs": {"a": 1}}, ".jobs: expected list, got &{map[a:1]}"),
        ({"nodeSelector": ["a"]}, ".nodeSelector: expected map, got &{[a]}"),
        ({"image": 5}, ".image: expected string, got &value.valueUnstructured{Value:5}"),
        ({"replicas": "1"}, ".replicas: expected numeric (int or float), got string"),
        ({"replicas": True}, ".replicas: expected numeric (int or float), got bool"),
        ({"suspend": 1}, ".suspend: expected boolean, got int64"),
        (
            {"jobs": [{"name": "a"}, {"replicas": 1}]},
            '.jobs: element 1: associative list with keys has an element that omits all key fields ["name"] '
            "(and doesn't have default values for any key fields)",
        ),
        (
            {"ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]},
            '.ports: duplicate entries for key [port=1,protocol="TCP"]',
        ),
    ],
)
def test_values_must_have_the_shape_that_the_schema_says(value: Any, complaint: str) -> None:
    assert complaints(value, SPEC) == [complaint]
