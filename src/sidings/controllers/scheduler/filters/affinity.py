"""Required node affinity: one of the terms must hold, and within a term every expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sidings.api.objects import Object, labels_of
from sidings.controllers.scheduler.filters.selector import REASON
from sidings.controllers.scheduler.snapshot import NodeState


def reasons(pod: Object, state: NodeState) -> list[str]:
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return []
    return [] if any(_term(term, state) for term in required.get("nodeSelectorTerms") or ()) else [REASON]


def _term(term: Object, state: NodeState) -> bool:
    expressions = term.get("matchExpressions") or ()
    fields = term.get("matchFields") or ()
    if not expressions and not fields:
        return False  # an empty term matches nothing
    labels = labels_of(state.node)
    return all(_holds(expression, labels) for expression in expressions) and all(
        _holds(expression, {"metadata.name": state.name}) for expression in fields
    )


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None


def _compare(labels: Mapping[str, str], key: str, values: list[str], ok: Callable[[int, int], bool]) -> bool:
    have, limit = _number(labels.get(key, "")), _number(values[0]) if values else None
    return have is not None and limit is not None and ok(have, limit)


def _holds(expression: Object, labels: Mapping[str, str]) -> bool:
    key, values = expression["key"], expression.get("values") or []
    match expression["operator"]:
        case "In":
            return labels.get(key) in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case "Gt":
            return _compare(labels, key, values, lambda have, limit: have > limit)
        case "Lt":
            return _compare(labels, key, values, lambda have, limit: have < limit)
    return False
