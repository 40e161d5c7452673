"""Functions of strings and lists beyond CEL's own: cel-go's ``ext.Strings``, and the ``regex``, ``lists`` and ``sets``
libraries of Kubernetes (``k8s.io/apiserver/pkg/cel/library``, v0.36)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from sidings.api.cel import operations
from sidings.api.cel.errors import EvaluationError


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise EvaluationError("no such overload")
    return value


def _number(value: Any) -> int:
    if operations.type_of(value) != "int":
        raise EvaluationError("no such overload")
    return int(value)


def _sequence(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise EvaluationError("no such overload")
    return value


def _substring(value: Any, start: Any, end: Any = None) -> str:
    text, first = _text(value), _number(start)
    last = len(text) if end is None else _number(end)
    if not 0 <= first <= last <= len(text):
        raise EvaluationError(f"index out of range: {last if 0 <= first <= len(text) else first}")
    return text[first:last]


def _index_of(value: Any, wanted: Any, start: Any = 0) -> int:
    if isinstance(value, list):
        return next((index for index, item in enumerate(value) if operations.equal(item, wanted)), -1)
    text = _text(value)
    return text.find(_text(wanted), _within(text, start))


def _last_index_of(value: Any, wanted: Any, start: Any = None) -> int:
    if isinstance(value, list):
        return max((index for index, item in enumerate(value) if operations.equal(item, wanted)), default=-1)
    text, part = _text(value), _text(wanted)
    return text.rfind(part) if start is None else text.rfind(part, 0, _within(text, start) + len(part))


def _within(text: str, index: Any) -> int:
    at = _number(index)
    if not 0 <= at <= len(text):
        raise EvaluationError(f"index out of range: {at}")
    return at


def _character(value: Any, index: Any) -> str:
    text = _text(value)
    at = _within(text, index)
    return text[at : at + 1]


def _find(value: Any, pattern: Any) -> str:
    found = operations.matches_of(_text(pattern), _text(value), 1)
    return found[0] if found else ""


def _find_all(value: Any, pattern: Any, most: Any = -1) -> list[str]:
    limit = _number(most)
    return operations.matches_of(_text(pattern), _text(value), None if limit < 0 else limit)


def _split(value: Any, separator: Any, most: Any) -> list[str]:
    text, between, parts = _text(value), _text(separator), _number(most)
    if parts == 0:
        return []
    return text.split(between, parts - 1 if parts > 0 else -1) if between else list(text)


def _ordered(value: Any) -> Sequence[Any]:
    items = _sequence(value)
    for left, right in pairwise(items):
        operations.compare("<", left, right)
    return items


def _is_sorted(value: Any) -> bool:
    items = _ordered(value)
    return all(operations.compare("<=", left, right) for left, right in pairwise(items))


def _extreme(choose: Callable[..., Any]) -> Callable[[Any], Any]:
    def chosen(value: Any) -> Any:
        items = _ordered(value)
        if not items:
            raise EvaluationError("min/max called on empty list")
        return choose(items)

    return chosen


def _sum(value: Any) -> Any:
    total: Any = 0
    for index, item in enumerate(_sequence(value)):
        total = operations.arithmetic("+", total, item) if index else item
    return total


def _holds(left: Any, right: Any) -> bool:
    return all(operations.contains(left, item) for item in _sequence(right))


def _meets(left: Any, right: Any) -> bool:
    return any(operations.contains(left, item) for item in _sequence(right))


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("charAt", 2): _character,
    ("indexOf", 2): _index_of,
    ("indexOf", 3): _index_of,
    ("lastIndexOf", 2): _last_index_of,
    ("lastIndexOf", 3): _last_index_of,
    ("join", 1): lambda items: "".join(map(_text, _sequence(items))),
    ("join", 2): lambda items, between: _text(between).join(map(_text, _sequence(items))),
    ("replace", 3): lambda text, old, new: _text(text).replace(_text(old), _text(new)),
    ("replace", 4): lambda text, old, new, most: _text(text).replace(_text(old), _text(new), _number(most)),
    ("split", 3): _split,
    ("substring", 2): _substring,
    ("substring", 3): _substring,
    ("trim", 1): lambda text: _text(text).strip(),
    ("find", 2): _find,
    ("findAll", 2): _find_all,
    ("findAll", 3): _find_all,
    ("isSorted", 1): _is_sorted,
    ("min", 1): _extreme(min),
    ("max", 1): _extreme(max),
    ("sum", 1): _sum,
    ("sets.contains", 2): _holds,
    ("sets.intersects", 2): _meets,
    ("sets.equivalent", 2): lambda left, right: _holds(left, right) and _holds(right, left),
}
