"""Node labels a pod insists on: its nodeSelector and its required node affinity.

A flavor is asked about its own labels only (``flavors``); a node about all of them (``topology``).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from sidings.api.objects import Object
from sidings.api.selectors import LabelSelector, Requirement

_COMPARISONS = {"Gt": "gt", "Lt": "lt"}


def selector_matches(pod_spec: Object, labels: Mapping[str, str], keys: Container[str] | None = None) -> bool:
    """Whether ``labels`` satisfy the nodeSelector; only ``keys`` of it count where given."""
    selector = pod_spec.get("nodeSelector") or {}
    return all(labels.get(key) == value for key, value in selector.items() if keys is None or key in keys)


def affinity_matches(
    pod_spec: Object, labels: Mapping[str, str], keys: Container[str] | None = None, node: str | None = None
) -> bool:
    """Whether ``labels`` satisfy any term of the required node affinity.

    Where ``keys`` are given, expressions on other labels do not count, and a term that has none left is satisfied.
    """
    affinity = (pod_spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(_term_matches(term, labels, keys, node) for term in required["nodeSelectorTerms"])


def _term_matches(
    term: Mapping[str, Any], labels: Mapping[str, str], keys: Container[str] | None, node: str | None
) -> bool:
    expressions = [e for e in term.get("matchExpressions") or () if keys is None or e["key"] in keys]
    if keys is None:
        if not expressions and not term.get("matchFields"):
            return False
        for field in term.get("matchFields") or ():
            if (node in field["values"]) is not (field["operator"] == "In"):
                return False
    return all(_requirement(expression).matches(labels) for expression in expressions)


def _requirement(expression: Mapping[str, Any]) -> Requirement:
    operator = expression["operator"]
    if operator in _COMPARISONS:
        return Requirement(expression["key"], _COMPARISONS[operator], tuple(expression["values"]))
    return LabelSelector.from_object({"matchExpressions": [expression]}).requirements[0]
