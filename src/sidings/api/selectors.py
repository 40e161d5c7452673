"""Which objects are meant: label selectors and field selectors, as text and as objects.

The grammar and the messages are those of ``k8s.io/apimachinery/pkg/labels`` and ``pkg/fields`` (v0.36). Which field
labels a kind has is not known here: the registry looks at :attr:`FieldSelector.requirements` and refuses the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from sidings.api import fields, names
from sidings.api.status import BadRequest

_OPERATORS = ("in", "notin", "=", "==", "!=", "gt", "lt")
_OF_OBJECTS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}


class Requirement(NamedTuple):
    """One condition on a label. ``operator`` is ``in``, ``notin``, ``exists``, ``!``, ``gt`` or ``lt``."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """A missing label satisfies ``notin`` and ``!`` only."""
        value = labels.get(self.key)
        match self.operator:
            case "in":
                return value is not None and value in self.values
            case "notin":
                return value is None or value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        number = _integer(value)
        limit = _integer(self.values[0])
        if number is None or limit is None:
            return False
        return number > limit if self.operator == "gt" else number < limit


@dataclass(frozen=True)
class LabelSelector:
    """All requirements must hold. The selector without any matches everything, ``nothing()`` matches nothing."""

    requirements: tuple[Requirement, ...] = ()
    none: bool = False

    @staticmethod
    def parse(text: str) -> LabelSelector:
        """``app=x,tier in (a, b),!old``. Raises ``BadRequest`` for anything else."""
        return _parse_labels(text)

    @staticmethod
    def nothing() -> LabelSelector:
        return LabelSelector(none=True)

    @staticmethod
    def from_object(selector: Mapping[str, Any] | None) -> LabelSelector:
        """A ``metav1.LabelSelector``. None selects nothing, the empty one everything.

        Raises ``ValueError`` for an operator that does not exist.
        """
        if selector is None:
            return LabelSelector.nothing()
        requirements = [Requirement(key, "in", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
        for expression in selector.get("matchExpressions") or ():
            operator = _OF_OBJECTS.get(str(expression.get("operator")))
            if operator is None:
                raise ValueError(f'"{expression.get("operator")}" is not a valid label selector operator')
            requirements.append(Requirement(expression["key"], operator, tuple(expression.get("values") or ())))
        return LabelSelector(tuple(requirements))

    @property
    def everything(self) -> bool:
        return not self.none and not self.requirements

    def matches(self, labels: Mapping[str, str] | None) -> bool:
        if self.none:
            return False
        return all(requirement.matches(labels or {}) for requirement in self.requirements)

    def exact(self) -> tuple[str, str] | None:
        """A label and the one value that it must have, if the selector pins any: a direct path to the objects."""
        for requirement in self.requirements:
            if requirement.operator == "in" and len(requirement.values) == 1:
                return requirement.key, requirement.values[0]
        return None


class FieldRequirement(NamedTuple):
    """``field`` equals ``value``, or does not where ``negated``."""

    field: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class FieldSelector:
    """All requirements must hold; without any it matches everything."""

    requirements: tuple[FieldRequirement, ...] = ()

    @staticmethod
    def parse(text: str) -> FieldSelector:
        """``status.phase=Running,metadata.name!=x``; values may be empty. Raises ``BadRequest`` for anything else."""
        return FieldSelector(tuple(_field_requirement(term, text) for term in _split_terms(text) if term))

    def matches(self, lookup: Callable[[str], str]) -> bool:
        """``lookup`` gives the value of a field label as text, ``""`` where the object has none."""
        return all((lookup(r.field) == r.value) is not r.negated for r in self.requirements)

    def exact(self, field: str) -> str | None:
        """The one value that ``field`` must have, if the selector pins it: a direct path to the object."""
        for requirement in self.requirements:
            if requirement.field == field and not requirement.negated:
                return requirement.value
        return None


def matches(selector: Mapping[str, Any] | None, labels: Mapping[str, str] | None) -> bool:
    """Whether a ``metav1.LabelSelector`` selects an object with ``labels``."""
    return LabelSelector.from_object(selector).matches(labels)


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and re.fullmatch("[+-]?[0-9]+", text) else None


# Label selectors. The reader sees words as plain identifiers except where an operator is due, so `in` may be a key.

_TOKEN = re.compile(r"[ \t\r\n]*(==|!=|[=!(),<>]|[^ \t\r\n=!(),<>]+|$)")
_SYMBOLS = frozenset({"=", "==", "!=", "!", "(", ")", ",", "<", ">"})
_COMPARISONS = {"=": "in", "==": "in", "!=": "notin", "in": "in", "notin": "notin", ">": "gt", "<": "lt"}


@lru_cache(maxsize=1024)
def _parse_labels(text: str) -> LabelSelector:
    return LabelSelector(tuple(_Reader(text).requirements()))


class _Reader:
    """Tokens of one selector, with one token of look-ahead; the end is ``""``."""

    def __init__(self, text: str) -> None:
        self._tokens = [match[1] for match in _TOKEN.finditer(text)]
        self._position = 0

    def _peek(self) -> str:
        return self._tokens[self._position] if self._position < len(self._tokens) else ""

    def _next(self) -> str:
        token = self._peek()
        self._position += 1
        return token

    def requirements(self) -> Iterator[Requirement]:
        while token := self._peek():
            if token in _SYMBOLS and token != "!":
                raise BadRequest(f"found '{token}', expected: !, identifier, or 'end of string'")
            try:
                yield self._requirement()
            except ValueError as error:
                raise BadRequest(f"unable to parse requirement: {error}") from None
            separator = self._next()
            if separator == ",":
                following = self._peek()
                if not following or (following in _SYMBOLS and following != "!"):
                    raise BadRequest(f"found '{following}', expected: identifier after ','")
            elif separator:
                raise BadRequest(f"found '{separator}', expected: ',' or 'end of string'")

    def _requirement(self) -> Requirement:
        absent = self._peek() == "!"
        if absent:
            self._next()
        key = self._next()
        if not key or key in _SYMBOLS:
            raise ValueError(f"found '{key}', expected: identifier")
        if complaints := names.qualified_name(key):
            raise ValueError(str(fields.invalid(fields.NO_PATH, key, "; ".join(complaints))))
        if absent:
            return Requirement(key, "!")
        if self._peek() in ("", ","):
            return Requirement(key, "exists")
        word = self._next()
        operator = _COMPARISONS.get(word)
        if operator is None:
            raise ValueError(f"found '{word}', expected: {', '.join(_OPERATORS)}")
        values = self._value_set() if word in ("in", "notin") else [self._value()]
        return _checked(Requirement(key, operator, tuple(sorted(set(values)))))

    def _value(self) -> str:
        if self._peek() in ("", ","):
            return ""
        value = self._next()
        if value in _SYMBOLS:
            raise ValueError(f"found '{value}', expected: identifier")
        return value

    def _value_set(self) -> list[str]:
        opening = self._next()
        if opening != "(":
            raise ValueError(f"found '{opening}' expected: '('")
        values: list[str] = []
        if self._peek() == ")":
            self._next()
            return values
        while True:
            value = "" if self._peek() in (",", ")") else self._next()
            if value in _SYMBOLS:
                raise ValueError(f"found '{value}', expected: ',', or identifier")
            values.append(value)
            separator = self._next()
            if separator == ")":
                return values
            if separator != ",":
                raise ValueError(f"found '{separator}', expected: ',' or ')'")


def _checked(requirement: Requirement) -> Requirement:
    key, operator, values = requirement
    if not values:
        raise ValueError(str(fields.invalid("values", [], "for 'in', 'notin' operators, values set can't be empty")))
    if operator in ("gt", "lt") and _integer(values[0]) is None:
        raise ValueError(
            str(fields.invalid("values[0]", values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
        )
    for index, value in enumerate(values):
        if complaints := names.label_value(value):
            raise ValueError(str(fields.invalid(f"values[{index}][{key}]", value, "; ".join(complaints))))
    return requirement


# Field selectors. A backslash protects `\`, `,` and `=` in values.


def _split_terms(text: str) -> list[str]:
    return [match[0] for match in re.finditer(r"(?:[^\\,]|\\.?)+", text)]


def _field_requirement(term: str, text: str) -> FieldRequirement:
    match = re.fullmatch(r"(.*?)(!=|==|=)(.*)", term, re.DOTALL)
    if match is None:
        raise BadRequest(f"invalid selector: '{text}'; can't understand '{term}'")
    field, operator, value = match.groups()
    return FieldRequirement(field, _unescaped(value), operator == "!=")


def _unescaped(value: str) -> str:
    if bad := re.search(r"\\(?:[^\\,=]|$)", re.sub(r"\\[\\,=]", "", value)):
        raise BadRequest(f"invalid field selector: invalid escape sequence: {bad[0]}")
    if re.search("[=,]", re.sub(r"\\.", "", value)):
        raise BadRequest(f"invalid field selector: unescaped character in value: {value}")
    return re.sub(r"\\(.)", r"\1", value)
