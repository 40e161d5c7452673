"""What counts as a difference between a recorded and a played run."""

from sidings.api.objects import Object
from tests.conformance.traces import compare


def differing(expected: Object, actual: Object) -> list[str]:
    return [each.where for each in compare(0, "Job", "", expected, actual)]


def condition(type_: str, status: str = "True") -> Object:
    return {"type": type_, "status": status}


def test_a_condition_that_is_missing_moves_no_other() -> None:
    expected = {"conditions": [condition("Suspended", "False"), condition("Complete")]}
    assert differing(expected, {"conditions": [condition("Complete")]}) == ["Job conditions[Suspended]"]
    assert differing(expected, {}) == ["Job conditions[Complete]", "Job conditions[Suspended]"]


def test_the_order_of_the_same_conditions_counts() -> None:
    expected = {"conditions": [condition("Suspended"), condition("Complete")]}
    assert differing(expected, {"conditions": expected["conditions"][::-1]}) != []


def test_a_condition_that_says_something_else_is_told_by_its_type() -> None:
    expected = {"conditions": [condition("Suspended", "False"), condition("Complete")]}
    assert differing(expected, {"conditions": [condition("Complete", "False")]}) == [
        "Job conditions[Complete].status",
        "Job conditions[Suspended]",
    ]
