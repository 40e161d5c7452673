"""``x-kubernetes-validations``: the rules of a schema, run over an object.

A rule sits at a place in the schema and holds of every value there (``self``). One that speaks of ``oldSelf`` is a
transition rule: it is asked only where there was a value before, which for the items of a list means that the schema
says by which keys items are the same (``list-type: map``); with ``optionalOldSelf`` it is asked always. Words and the
choice of what is shown are those of ``k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel`` (v0.36).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sidings.api.cel import optionals, tree, values
from sidings.api.cel.errors import CelError, CostExceeded, EvaluationError
from sidings.api.cel.parser import parsed
from sidings.api.cel.program import BUDGET, Budget, Evaluate, compiled
from sidings.api.fields import NO_PATH, FieldError, broken_rule
from sidings.api.kind import Schema
from sidings.api.structural.ratcheting import MISSING, is_unchanged

VALIDATIONS = "x-kubernetes-validations"
MOST_ITEMS = 500_000
"""A second's worth. Upstream's ``RuntimeCELCostBudget`` is 10,000,000 units, of which an item takes several."""


class _Rule(NamedTuple):
    holds: Evaluate
    is_transition: bool


@lru_cache(maxsize=2048)
def _rule(text: str) -> _Rule:
    return _Rule(compiled(text), "oldSelf" in set(tree.names(parsed(text))))


def has_rules(schema: Schema) -> bool:
    """Whether there is any rule below ``schema``; most definitions have none and are spared the walk."""
    if schema.get(VALIDATIONS):
        return True
    below = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(has_rules(each) for each in below if isinstance(each, Mapping))


def broken(schema: Schema, value: Any, old: Any = MISSING, path: str = "") -> Iterator[FieldError]:
    """The rules that ``value``, which fits ``schema``, breaks; ``old``: the value before, where this is an update."""
    yield from _broken(schema, value, old, path, Budget(MOST_ITEMS))


def _broken(schema: Schema, value: Any, old: Any, path: str, budget: Budget) -> Iterator[FieldError]:
    rules = schema.get(VALIDATIONS) or ()
    if rules and values.has_formats(schema):
        seen, seen_old = values.of_json(schema, value), old if old is MISSING else values.of_json(schema, old)
    else:
        seen, seen_old = value, old
    for declared in rules:
        if budget.is_spent:
            return
        found = list(_check(declared, seen, seen_old, path, budget, value))
        # An update is not refused for what it does not touch, unless the rule is about the change.
        if found and (old is MISSING or _rule(declared["rule"]).is_transition or not is_unchanged(value, old)):
            yield from found
    if isinstance(value, dict):
        properties = schema.get("properties") or {}
        additional = schema.get("additionalProperties")
        for name, item in value.items():
            below = properties.get(name) or (additional if isinstance(additional, Mapping) else None)
            if below is not None and item is not None:
                before = old.get(name, MISSING) if isinstance(old, dict) else MISSING
                yield from _broken(below, item, before, _below(path, name, known=name in properties), budget)
    elif isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        partners = _partners(schema, old)
        for index, item in enumerate(value):
            before = partners.get(_identity(schema, item), MISSING) if partners else MISSING
            yield from _broken(schema["items"], item, before, f"{path}[{index}]", budget)


def _below(path: str, name: str, *, known: bool) -> str:
    if not known:
        return f"{path}[{name}]"
    return f"{path}.{name}" if path else name


def _check(
    declared: Mapping[str, Any], value: Any, old: Any, path: str, budget: Budget, as_written: Any
) -> Iterator[FieldError]:
    """``value`` and ``old`` are what the rule sees, ``as_written`` is what an error shows."""
    rule = _rule(declared["rule"])
    scope = {"self": value, BUDGET: budget}
    if rule.is_transition:
        missing = old is MISSING or old is None
        if declared.get("optionalOldSelf"):
            scope["oldSelf"] = optionals.NONE if missing else optionals.Optional(True, old)
        elif missing:
            return
        else:
            scope["oldSelf"] = old
    where = (
        _below(path, str(declared["fieldPath"]).removeprefix("."), known=True) if declared.get("fieldPath") else path
    )
    where = where or NO_PATH
    try:
        if rule.holds(scope) is True:
            return
    except EvaluationError as error:
        yield broken_rule(where, as_written, _failure(error, str(declared.get("message") or declared["rule"]).strip()))
        return
    failure = broken_rule(where, as_written, _message(declared, scope))
    yield failure._replace(reason=declared.get("reason") or failure.reason)


def _failure(error: EvaluationError, rule: str) -> str:
    if isinstance(error, CostExceeded):
        return f"'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {rule}"
    if str(error).startswith("no such overload"):
        signature = "call arguments did not match a supported operator, function or macro signature"
        return f"'{error}': {signature} for rule: {rule}"
    return f"{error} evaluating rule: {rule}"


def _message(declared: Mapping[str, Any], scope: Mapping[str, Any]) -> str:
    if expression := declared.get("messageExpression"):
        try:
            told = compiled(expression)(scope)
        except CelError:
            told = ""
        if isinstance(told, str) and told.strip():
            return told
    return str(declared.get("message") or f"failed rule: {declared['rule'].strip()}")


def _identity(schema: Schema, item: Any) -> tuple[Any, ...]:
    keys = schema.get("x-kubernetes-list-map-keys") or ()
    return tuple(item.get(key) for key in keys) if isinstance(item, dict) else (item,)


def _partners(schema: Schema, old: Any) -> dict[tuple[Any, ...], Any]:
    """The old items by what makes them the same as new ones; empty where nothing says so."""
    if schema.get("x-kubernetes-list-type") != "map" or not isinstance(old, list):
        return {}
    return {_identity(schema, item): item for item in old}
