"""LabelSelectors in specs."""

from __future__ import annotations

import pytest

from sidings.api import selector_rules
from sidings.api.objects import Object


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        (
            {"matchExpressions": [{"key": "a", "operator": "NotIn"}]},
            "s.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            "s.matchExpressions[0].values: Forbidden: "
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Is"}]},
            's.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
        ),
    ],
)
def test_expressions(selector: Object, text: str) -> None:
    assert [str(error) for error in selector_rules.errors(selector, "s")] == [text]


def test_labels_must_be_labels() -> None:
    found = list(selector_rules.errors({"matchLabels": {"-a": "b c"}}, "s"))
    assert [error.field for error in found] == ["s.matchLabels", "s.matchLabels"]


def test_a_selector_may_be_empty() -> None:
    assert not list(selector_rules.errors({}, "s"))
