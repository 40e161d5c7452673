"""From the tree of an expression to a closure that answers it.

Closures are called some ten thousand times a second without a look at the tree again. They take values as they come:
what the checker has let through may still meet values of other types where the schema says ``dyn``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from sidings.api.cel import (
    addresses,
    calendar,
    formatting,
    named_formats,
    operations,
    optionals,
    semver,
    texts,
    tree,
    units,
)
from sidings.api.cel.errors import CelSyntaxError, CostExceeded, EvaluationError
from sidings.api.cel.parser import parsed
from sidings.api.cel.tree import Call, Fold, ListOf, Literal, MapOf, Name, Node, Select

Scope = Mapping[str, Any]
Evaluate = Callable[[Scope], Any]

FUNCTIONS: Mapping[tuple[str, int], Callable[..., Any]] = {
    **operations.FUNCTIONS,
    **texts.FUNCTIONS,
    **units.FUNCTIONS,
    **addresses.FUNCTIONS,
    **calendar.FUNCTIONS,
    **optionals.FUNCTIONS,
    **formatting.FUNCTIONS,
    **named_formats.FUNCTIONS,
    **semver.FUNCTIONS,
}
"""By name and number of operands, what a method is called on among them."""
_OPERATORS: Mapping[str, Callable[..., Any]] = {
    tree.NEGATE: operations.negative,
    tree.NOT: lambda value: not operations.truth(value),
    tree.INDEX: operations.index,
    tree.OPTIONAL_INDEX: optionals.select,
}
_ARITHMETIC = ("_+_", "_-_", "_*_", "_/_", "_%_")


@lru_cache(maxsize=2048)
def compiled(text: str) -> Evaluate:
    """The closure of an expression. Raises ``CelSyntaxError``, also for functions that do not exist."""
    return _program(parsed(text))


BUDGET = "<budget>"
"""Where a scope has its ``Budget``; no variable can be called so."""


class Budget:
    """How many items the macros of all rules of an object may go through, nested ones multiplied."""

    def __init__(self, items: int) -> None:
        self._left = items

    @property
    def is_spent(self) -> bool:
        return self._left < 0

    def take(self, items: int) -> None:
        self._left -= items
        if self._left < 0:
            raise CostExceeded


def _program(node: Node) -> Evaluate:
    match node:
        case Literal(value=value):
            return lambda scope: value
        case Name(name=name):
            return _variable(name)
        case Select():
            return _select(node)
        case Call():
            return _call(node)
        case ListOf(items=items):
            made = [_program(item) for item in items]
            return lambda scope: [item(scope) for item in made]
        case MapOf(pairs=pairs):
            entries = [(_program(key), _program(value)) for key, value in pairs]
            return lambda scope: {key(scope): value(scope) for key, value in entries}
        case Fold():
            return _fold(node)
    raise TypeError(node)


def _variable(name: str) -> Evaluate:
    constant = operations.TYPES.get(name)

    def look_up(scope: Scope) -> Any:
        found = scope.get(name, constant)
        if found is None and name not in scope:
            raise EvaluationError(f"no such attribute(s): {name}")
        return found

    return look_up


def _select(node: Select) -> Evaluate:
    holder, name = _program(node.operand), node.field
    if node.optional:
        return lambda scope: optionals.select(holder(scope), name)
    if not node.asks:
        return lambda scope: operations.field(holder(scope), name)

    def present(scope: Scope) -> bool:
        value = holder(scope)
        if isinstance(value, optionals.Optional):
            return optionals.select(value, name).present
        if not isinstance(value, dict):
            raise EvaluationError("no such overload")
        return name in value

    return present


def _call(node: Call) -> Evaluate:
    operands = [_program(operand) for operand in node.operands]
    match node.function, operands:
        case tree.CONDITIONAL, [condition, yes, no]:
            return lambda scope: yes(scope) if operations.truth(condition(scope)) else no(scope)
        case (tree.OR | tree.AND) as operator, [left, right]:
            return _absorbing(left, right, decisive=operator == tree.OR)
        case tree.IN, [item, container]:
            return lambda scope: operations.contains(container(scope), item(scope))
        case operator, [left, right] if operator in (*tree.EQUALITIES, *tree.ORDERS):
            return _binary(operations.compare, operator.strip("_"), left, right)
        case operator, [left, right] if operator in _ARITHMETIC:
            return _binary(operations.arithmetic, operator.strip("_"), left, right)
    function = _OPERATORS.get(node.function) or FUNCTIONS.get((node.function, len(operands)))
    if function is None:
        raise CelSyntaxError(f"undeclared reference to '{node.function}' (in container '')", node.offset)
    return lambda scope: function(*[operand(scope) for operand in operands])


def _binary(apply: Callable[[str, Any, Any], Any], operator: str, left: Evaluate, right: Evaluate) -> Evaluate:
    return lambda scope: apply(operator, left(scope), right(scope))


def _absorbing(left: Evaluate, right: Evaluate, *, decisive: bool) -> Evaluate:
    """``||`` and ``&&``: one side that decides makes up for an error of the other, whichever comes first."""

    def evaluate(scope: Scope) -> bool:
        try:
            first = operations.truth(left(scope))
        except EvaluationError:
            if operations.truth(right(scope)) is decisive:
                return decisive
            raise
        return decisive if first is decisive else operations.truth(right(scope))

    return evaluate


def _fold(node: Fold) -> Evaluate:
    target, body = _program(node.target), _program(node.body)
    if node.macro in ("optMap", "optFlatMap"):
        return _over_optional(target, node.variables[0], body, flat=node.macro == "optFlatMap")
    items = _items(target, node.variables)
    if node.chosen is not None:
        items = _where(items, _program(node.chosen))
    match node.macro:
        case "all" | "exists":
            return _quantified(items, body, decisive=node.macro == "exists")
        case "exists_one":
            return lambda scope: sum(operations.truth(body(inner)) for _, inner in items(scope)) == 1
        case "filter":
            return lambda scope: [item for item, inner in items(scope) if operations.truth(body(inner))]
        case "transformMap":
            key = node.variables[0]
            return lambda scope: {inner[key]: body(inner) for _, inner in items(scope)}
        case "transformMapEntry":
            return lambda scope: _joined([body(inner) for _, inner in items(scope)])
    return lambda scope: [body(inner) for _, inner in items(scope)]


Items = Callable[[Scope], list[tuple[Any, Scope]]]
"""What a macro goes through: each item or key, and the scope with the macro's variables."""


def _items(target: Evaluate, variables: tuple[str, ...]) -> Items:
    def items(scope: Scope) -> list[tuple[Any, Scope]]:
        value = target(scope)
        if not isinstance(value, list | dict):
            raise EvaluationError("no such overload")
        if BUDGET in scope:
            scope[BUDGET].take(len(value))
        if len(variables) == 1:
            return [(item, {**scope, variables[0]: item}) for item in value]
        key, name = variables
        pairs = enumerate(value) if isinstance(value, list) else value.items()
        return [(each, {**scope, key: each, name: item}) for each, item in pairs]

    return items


def _where(items: Items, chosen: Evaluate) -> Items:
    return lambda scope: [(item, inner) for item, inner in items(scope) if operations.truth(chosen(inner))]


def _joined(maps: list[Any]) -> dict[Any, Any]:
    joined: dict[Any, Any] = {}
    for each in maps:
        if not isinstance(each, dict):
            raise EvaluationError("no such overload")
        for key, value in each.items():
            if key in joined:
                raise EvaluationError(f"insert failed: key {key} already exists")
            joined[key] = value
    return joined


def _over_optional(target: Evaluate, variable: str, body: Evaluate, *, flat: bool) -> Evaluate:
    def mapped(scope: Scope) -> Any:
        given = target(scope)
        if not isinstance(given, optionals.Optional):
            raise EvaluationError("no such overload")
        if not given.present:
            return given
        made = body({**scope, variable: given.value})
        return made if flat else optionals.Optional(True, made)

    return mapped


def _quantified(items: Items, body: Evaluate, *, decisive: bool) -> Evaluate:
    def quantified(scope: Scope) -> bool:
        failure: EvaluationError | None = None
        for _, inner in items(scope):
            try:
                if operations.truth(body(inner)) is decisive:
                    return decisive
            except EvaluationError as error:
                failure = error
        if failure is not None:
            raise failure
        return not decisive

    return quantified
