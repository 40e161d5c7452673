"""The rules of a definition's schema: whether they compile, fit the schema, and cannot take too long.

Checks, words and limits are those of ``ValidateCustomResourceDefinitionOpenAPISchema`` and of
``apiserver/schema/cel`` (``k8s.io/apiextensions-apiserver``, v0.36). A rule is estimated for the largest value that its
schema allows, as often as the lists around it allow; who bounds neither is told to.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sidings.api.cel import checker, cost, tree
from sidings.api.cel import types as cel_types
from sidings.api.cel.errors import CelSyntaxError, shown
from sidings.api.cel.parser import parsed
from sidings.api.cel.rules import VALIDATIONS, has_rules
from sidings.api.cel.types import BOOL, STRING, Type, most_occurrences, optional_of
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required
from sidings.api.kind import Schema

MOST_OF_A_RULE, MOST_OF_A_SCHEMA = 10_000_000, 100_000_000
"""Upstream's ``StaticEstimatedCostLimit`` and ``StaticEstimatedCRDCostLimit``."""
_WORTH_NAMING = MOST_OF_A_SCHEMA // 100
_MOST_NAMED = 4
_ONE_HUNDRED, _NEARLY = 100.0, 1.5
REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_ADVICE = "try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings"


def errors(schema: Schema, path: str) -> Iterator[FieldError]:
    """What is wrong with the rules below ``schema``, which is structural and lies at ``path``."""
    if not has_rules(schema):
        return
    bill = _Bill()
    root = cel_types.of_schema(schema, is_root=True)
    yield from _below(schema, _Place(path, root, 1, ""), bill)
    if bill.total > MOST_OF_A_SCHEMA:
        for _, where in sorted(bill.expensive, key=lambda item: -item[0])[:_MOST_NAMED]:
            detail = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
            yield forbidden(where, detail)
        what = f"{VALIDATIONS} estimated rule cost total for entire OpenAPIv3 schema"
        yield forbidden(path, _over(what, bill.total, MOST_OF_A_SCHEMA))


class _Place(NamedTuple):
    """Where a part of a schema is."""

    path: str
    type: Type | None
    occurrences: int | None
    """How many values of it an object can have at most; None where a list around it is not bounded."""
    uncorrelated: str
    """The part that keeps an old value from being found for a new one; empty where there is none."""


@dataclass
class _Bill:
    total: int = 0
    expensive: list[tuple[int, str]] = field(default_factory=list)

    def add(self, cost_of_one: int, where: str) -> None:
        self.total = cost.plus(self.total, cost_of_one)
        if cost_of_one >= _WORTH_NAMING:
            self.expensive.append((cost_of_one, where))


def _below(schema: Schema, place: _Place, bill: _Bill) -> Iterator[FieldError]:
    """Parts first, then the rules of the whole."""
    for part, inner in _parts(schema, place):
        yield from _below(part, inner, bill)
    for index, declared in enumerate(schema.get(VALIDATIONS) or ()):
        where = f"{place.path}.{VALIDATIONS}[{index}]"
        wrong = list(_form(declared, where, schema))
        yield from wrong or _compilation(declared, where, place, bill)


def _parts(schema: Schema, place: _Place) -> Iterator[tuple[Schema, _Place]]:
    type_ = place.type
    granular = schema.get("x-kubernetes-map-type") != "atomic"
    for name, part in (schema.get("properties") or {}).items():
        known = (type_.fields or {}).get(name) if type_ else None
        apart = place.uncorrelated or ("" if granular else place.path)
        yield part, _Place(f"{place.path}.properties[{name}]", known, place.occurrences, apart)
    for word, bound, parameter in (("items", "maxItems", 0), ("additionalProperties", "maxProperties", 1)):
        part = schema.get(word)
        if not isinstance(part, Mapping):
            continue
        most = schema.get(bound)
        occurrences = None if place.occurrences is None or most is None else cost.times(place.occurrences, max(most, 0))
        known = type_.parameters[parameter] if type_ and type_.parameters else None
        is_apart = word == "items" and schema.get("x-kubernetes-list-type") != "map"
        apart = place.uncorrelated or (place.path if is_apart else "")
        yield part, _Place(f"{place.path}.{word}", known, occurrences, apart)


def _form(declared: Mapping[str, Any], where: str, schema: Schema) -> Iterator[FieldError]:
    """What is wrong with a rule before anybody reads its expressions."""
    rule, message = str(declared.get("rule") or "").strip(), str(declared.get("message") or "")
    if not rule:
        yield required(f"{where}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{where}.message", message, "message must be non-empty if specified")
    elif _has_breaks(message.strip()):
        yield invalid(f"{where}.message", message, "message must not contain line breaks")
    elif _has_breaks(rule) and not message:
        yield required(f"{where}.message", "message must be specified if rule contains line breaks")
    if declared.get("messageExpression") and not str(declared["messageExpression"]).strip():
        yield required(f"{where}.messageExpression", "messageExpression must be non-empty if specified")
    if declared.get("reason") is not None and declared["reason"] not in REASONS:
        yield not_supported(f"{where}.reason", declared["reason"], REASONS)
    if field_path := str(declared.get("fieldPath") or ""):
        if not field_path.strip():
            yield invalid(f"{where}.fieldPath", field_path, "fieldPath must be non-empty if specified")
        if _has_breaks(field_path):
            yield invalid(f"{where}.fieldPath", field_path, "fieldPath must not contain line breaks")
        if not _leads_somewhere(field_path, schema):
            yield invalid(f"{where}.fieldPath", field_path, "fieldPath must be a valid path")


def _has_breaks(text: str) -> bool:
    return "\n" in text or "\r" in text


def _leads_somewhere(field_path: str, schema: Schema) -> bool:
    """``.spec.replicas`` or ``.labels['a.b']``; upstream follows properties and the keys of maps."""
    if not field_path.startswith((".", "[")):
        return False
    for step in field_path.replace("['", ".\0").replace("']", "").split(".")[1:]:
        # A key in brackets may have dots of its own, which only a map's key can: nothing more is checked there.
        known = (schema.get("properties") or {}).get(step.lstrip("\0"))
        if known is None:
            return isinstance(schema.get("additionalProperties"), Mapping) or step.startswith("\0")
        schema = known
    return True


def _compilation(declared: Mapping[str, Any], where: str, place: _Place, bill: _Bill) -> Iterator[FieldError]:
    if place.type is None:
        detail = f"internal error: failed to retrieve type information for {VALIDATIONS}"
        yield FieldError(where.rpartition("[")[0], "InternalError", f"Internal error: {detail}")
        return
    old = optional_of(place.type) if declared.get("optionalOldSelf") else place.type
    variables = {"self": place.type, "oldSelf": old}
    rule = _compiled(str(declared["rule"]), variables, BOOL, "cel expression must evaluate to a bool")
    occurrences = most_occurrences(place.type) if place.occurrences is None else place.occurrences
    rule_cost = cost.times(rule.cost, occurrences)
    if rule_cost > MOST_OF_A_RULE:
        yield forbidden(f"{where}.rule", _over("estimated rule cost", rule_cost, MOST_OF_A_RULE))
    bill.add(rule_cost, f"{where}.rule")
    if rule.wrong:
        yield invalid(f"{where}.rule", declared, rule.wrong)
    elif expression := declared.get("messageExpression"):
        message = _compiled(str(expression), variables, STRING, "messageExpression must evaluate to a string")
        if message.wrong:
            is_compiled = not message.wrong.startswith("compilation")
            prefix = "" if is_compiled else "messageExpression "
            yield invalid(f"{where}.messageExpression", declared, prefix + message.wrong)
        elif message.cost > MOST_OF_A_RULE:
            over = _over("estimated messageExpression cost", message.cost, MOST_OF_A_RULE)
            yield forbidden(f"{where}.messageExpression", over)
        bill.add(message.cost, f"{where}.messageExpression")
    if rule.uses_old:
        if place.uncorrelated:
            detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {place.uncorrelated}"
            yield invalid(f"{where}.rule", declared["rule"], detail)
    elif declared.get("optionalOldSelf") is not None and not rule.wrong:
        detail = "may not be set if oldSelf is not used in rule"
        yield invalid(f"{where}.optionalOldSelf", declared["optionalOldSelf"], detail)


class _Compiled(NamedTuple):
    wrong: str
    cost: int
    uses_old: bool


def _compiled(text: str, variables: Mapping[str, Type], wanted: Type, otherwise: str) -> _Compiled:
    """An expression that shall have the type ``wanted``; ``otherwise`` is said of any other."""
    try:
        node = parsed(text)
    except CelSyntaxError as error:
        return _Compiled(f"compilation failed: {shown(text, [error.issue])}", 0, False)
    checked = checker.check(node, variables)
    if checked.issues:
        return _Compiled(f"compilation failed: {shown(text, checked.issues)}", 0, False)
    uses_old = "oldSelf" in set(tree.names(node))
    if checked.types[node].name != wanted.name:
        return _Compiled(otherwise, 0, uses_old)
    return _Compiled("", cost.worst(node, checked), uses_old)


def _over(what: str, estimated: int, limit: int) -> str:
    factor = estimated / limit
    told = f"{factor:f}x" if factor < _NEARLY else f"{factor:.1f}x"
    if factor > _ONE_HUNDRED:
        told = "more than 100x"
    return f"{what} exceeds budget by factor of {told} ({_ADVICE} are declared)"
