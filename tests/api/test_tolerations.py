"""What a toleration answers, and for how long."""

import pytest

from sidings.api.objects import Object
from sidings.api.tolerations import tolerated_seconds, tolerates

TAINT: Object = {"key": "k", "value": "v", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("toleration", "answers"),
    [
        ({"key": "k", "value": "v"}, True),
        ({"key": "k", "value": "w"}, False),
        ({"key": "k", "operator": "Exists"}, True),
        ({"operator": "Exists"}, True),
        ({"value": "v"}, False),
        ({"key": "k", "operator": "Exists", "effect": "NoSchedule"}, False),
    ],
)
def test_tolerates(toleration: Object, answers: bool) -> None:
    assert tolerates([toleration], TAINT) is answers


def test_nobody_tolerates_without_tolerations() -> None:
    assert not tolerates(None, TAINT)
    assert tolerated_seconds(None, TAINT) == 0


def test_the_shortest_limit_counts_and_a_negative_one_is_none_at_all() -> None:
    exists = {"key": "k", "operator": "Exists"}
    assert tolerated_seconds([exists], TAINT) is None
    assert tolerated_seconds([exists | {"tolerationSeconds": 30}, exists | {"tolerationSeconds": 10}], TAINT) == 10
    assert tolerated_seconds([exists | {"tolerationSeconds": -1}], TAINT) == 0
