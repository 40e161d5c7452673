from typing import Any

import pytest

from sidings.queue import affinity


def requiring(*terms: list[dict[str, Any]]) -> dict[str, Any]:
    selector = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}}


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def test_a_selector_of_other_labels_does_not_concern_a_flavor() -> None:
    spec = {"nodeSelector": {"type": "spot", "disk": "ssd"}}
    assert affinity.selector_matches(spec, {"type": "spot"}, {"type"})
    assert not affinity.selector_matches(spec, {"type": "spot"})
    assert not affinity.selector_matches(spec, {"type": "od"}, {"type"})


def test_one_term_suffices_and_all_its_expressions_must_hold() -> None:
    spec = requiring([expression("a", "In", "1"), expression("b", "Exists")], [expression("c", "Gt", "5")])
    assert affinity.affinity_matches(spec, {"a": "1", "b": ""})
    assert affinity.affinity_matches(spec, {"c": "6"})
    assert not affinity.affinity_matches(spec, {"a": "1", "c": "5"})


def test_a_term_without_labels_of_the_flavor_is_satisfied() -> None:
    spec = requiring([expression("disk", "In", "ssd")])
    assert affinity.affinity_matches(spec, {"type": "spot"}, {"type"})
    assert not affinity.affinity_matches(spec, {"type": "spot"})


@pytest.mark.parametrize(("operator", "matches"), [("In", True), ("NotIn", False)])
def test_fields_name_the_node(operator: str, matches: bool) -> None:
    term = {"matchFields": [expression("metadata.name", operator, "n1")]}
    selector = {"nodeSelectorTerms": [term]}
    spec = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": selector}}}
    assert affinity.affinity_matches(spec, {}, node="n1") is matches
