"""What type every part of an expression has, and what does not fit.

cel-go's checker (``checker/checker.go``, v0.26) as far as rules of custom resources need it, with its words. A part
that is wrong has the type ``ERROR``, which fits everywhere, so that one mistake is told once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sidings.api.cel import operations
from sidings.api.cel import types as cel_types
from sidings.api.cel.errors import EvaluationError, Issue
from sidings.api.cel.signatures import Overload, overloads
from sidings.api.cel.tree import Call, Fold, ListOf, Literal, MapOf, Name, Node, Select
from sidings.api.cel.types import BOOL, DOUBLE, DYN, ERROR, INT, NULL, STRING, Type, list_of, map_of, optional_of

_TYPE = Type("type")
_LITERALS: Mapping[type, Type] = {bool: BOOL, int: INT, float: DOUBLE, str: STRING, type(None): NULL}

Bindings = dict[str, Type]


@dataclass
class Checked:
    """The types of an expression's nodes, and ``issues`` where it has any."""

    types: dict[Node, Type] = field(default_factory=dict)
    chosen: dict[Node, list[Overload]] = field(default_factory=dict)
    """The overloads that a call may mean."""
    issues: list[Issue] = field(default_factory=list)


def check(node: Node, variables: Mapping[str, Type]) -> Checked:
    """The types of ``node`` and all below where ``variables`` have theirs."""
    checker = _Checker()
    checker.type_of(node, variables)
    return checker.found


class _Checker:
    def __init__(self) -> None:
        self.found = Checked()

    def type_of(self, node: Node, scope: Mapping[str, Type]) -> Type:
        found = self.found.types[node] = self._type_of(node, scope)
        return found

    def _wrong(self, node: Node, message: str) -> Type:
        self.found.issues.append(Issue(node.offset, message))
        return ERROR

    def _type_of(self, node: Node, scope: Mapping[str, Type]) -> Type:
        match node:
            case Literal(value=value):
                return _LITERALS[type(value)]
            case Name(name=name):
                if name in scope:
                    return scope[name]
                return _TYPE if name in operations.TYPES else self._undeclared(node, name)
            case Select():
                return self._select(node, scope)
            case Call():
                return self._call(node, scope)
            case ListOf(items=items):
                return list_of(self._common(items, scope))
            case MapOf(pairs=pairs):
                keys = self._common([key for key, _ in pairs], scope)
                return map_of(keys, self._common([value for _, value in pairs], scope))
            case Fold():
                return self._fold(node, scope)
        raise TypeError(node)

    def _undeclared(self, node: Node, name: str) -> Type:
        return self._wrong(node, f"undeclared reference to '{name}' (in container '')")

    def _common(self, items: list[Node] | tuple[Node, ...], scope: Mapping[str, Type]) -> Type:
        """The one type of all ``items``; any other is told (``HomogeneousAggregateLiterals``)."""
        common: Type | None = None
        for item in items:
            found = self.type_of(item, scope)
            if common is None:
                common = found
            elif not unified(common, found, {}):
                self._wrong(item, f"expected type '{common}' but found '{found}'")
        return common or DYN

    def _select(self, node: Select, scope: Mapping[str, Type]) -> Type:
        operand = self.type_of(node.operand, scope)
        optional = operand.name == "optional_type"
        found = self._member(node, operand.parameters[0] if optional else operand)
        if node.asks:
            return BOOL
        return optional_of(found) if optional or node.optional else found

    def _member(self, node: Select, holder: Type) -> Type:
        if cel_types.is_anything(holder):
            return DYN
        if holder.name == "map":
            # Of a value under a key that is written like a field, upstream's estimate of costs knows no bounds.
            return replace(holder.parameters[1], most=None)
        if holder.fields is None:
            return self._wrong(node, f"type '{holder}' does not support field selection")
        found = holder.fields.get(node.field)
        return found if found is not None else self._wrong(node, f"undefined field '{node.field}'")

    def _call(self, node: Call, scope: Mapping[str, Type]) -> Type:
        operands = [self.type_of(operand, scope) for operand in node.operands]
        known = overloads().get(node.function)
        if known is None:
            return self._undeclared(node, node.function)
        fitting: list[Overload] = []
        results: list[Type] = []
        for overload in known:
            bindings: Bindings = {}
            if overload.is_method == (node.target is not None) and _fits(overload.operands, operands, bindings):
                fitting.append(overload)
                results.append(_filled(overload.result, bindings))
        if not fitting:
            shown = [str(operand) for operand in operands]
            first = f"{shown.pop(0)}." if node.target is not None else ""
            signature = f"{first}({', '.join(shown)})"
            return self._wrong(node, f"found no matching overload for '{node.function}' applied to '{signature}'")
        self.found.chosen[node] = fitting
        self._validate(node)
        return results[0] if all(same(results[0], other) for other in results) else DYN

    def _validate(self, node: Call) -> None:
        """Patterns that are written out can be compiled at once (``ValidateRegexLiterals``)."""
        if node.function == "matches" and isinstance(pattern := node.arguments[-1], Literal):
            try:
                operations.found(str(pattern.value), "")
            except EvaluationError:
                self._wrong(pattern, "invalid matches argument")

    def _fold(self, node: Fold, scope: Mapping[str, Type]) -> Type:
        target = self.type_of(node.target, scope)
        if node.macro in ("optMap", "optFlatMap"):
            return self._over_optional(node, target, scope)
        inner = {**scope, **dict(zip(node.variables, self._items(node, target), strict=True))}
        if node.chosen is not None:
            self._expect_bool(node.chosen, inner)
        if node.macro in ("all", "exists", "exists_one", "filter"):
            self._expect_bool(node.body, inner)
            return list_of(inner[node.variables[0]]) if node.macro == "filter" else BOOL
        made = self.type_of(node.body, inner)
        if node.macro in ("map", "transformList"):
            return list_of(made)
        key = inner[node.variables[0]]
        if node.macro == "transformMap":
            return map_of(key, made)
        if made.name != "map" and not cel_types.is_anything(made):
            return self._wrong(node.body, f"expected type 'map(dyn, dyn)' but found '{made}'")
        return made

    def _over_optional(self, node: Fold, target: Type, scope: Mapping[str, Type]) -> Type:
        if target.name != "optional_type" and not cel_types.is_anything(target):
            return self._wrong(node, f"found no matching overload for 'hasValue' applied to '{target}.()'")
        value = target.parameters[0] if target.parameters else DYN
        made = self.type_of(node.body, {**scope, node.variables[0]: value})
        return made if node.macro == "optFlatMap" else optional_of(made)

    def _items(self, node: Fold, target: Type) -> list[Type]:
        """What the variables of a macro over ``target`` are: item or key, or index and item, or key and value."""
        two = len(node.variables) == 2
        if cel_types.is_anything(target):
            return [DYN] * len(node.variables)
        if target.name == "list":
            return [INT, target.parameters[0]] if two else [target.parameters[0]]
        if target.name == "map":
            return list(target.parameters) if two else [target.parameters[0]]
        message = f"expression of type '{target}' cannot be range of a comprehension"
        self._wrong(node.target, f"{message} (must be list, map, or dynamic)")
        return [ERROR] * len(node.variables)

    def _expect_bool(self, node: Node, scope: Mapping[str, Type]) -> None:
        found = self.type_of(node, scope)
        if not unified(BOOL, found, {}):
            self._wrong(node, f"expected type 'bool' but found '{found}'")


def same(left: Type, right: Type) -> bool:
    if left.fields is not None or right.fields is not None:
        return left.fields is right.fields
    return (
        left.name == right.name
        and len(left.parameters) == len(right.parameters)
        and all(map(same, left.parameters, right.parameters))
    )


def unified(wanted: Type, given: Type, bindings: Bindings) -> bool:
    """Whether a value of the type ``given`` is one of ``wanted``; letters in ``wanted`` are bound to what they mean."""
    if _is_letter(wanted):
        bound = bindings.get(wanted.name)
        if bound is None or cel_types.is_anything(bound):
            bindings[wanted.name] = given
            return True
        return unified(bound, given, bindings)
    if cel_types.is_anything(wanted) or cel_types.is_anything(given) or _is_letter(given):
        return True
    if wanted.name == NULL.name or given.name == NULL.name:
        return wanted.name == given.name or _may_be_null(given if wanted.name == NULL.name else wanted)
    if wanted.fields is not None or given.fields is not None:
        return wanted.fields is given.fields
    return (
        wanted.name == given.name
        and len(wanted.parameters) == len(given.parameters)
        and all(unified(w, g, bindings) for w, g in zip(wanted.parameters, given.parameters, strict=True))
    )


def _may_be_null(type_: Type) -> bool:
    return type_.fields is not None or type_.name in ("duration", "timestamp")


def _is_letter(type_: Type) -> bool:
    return len(type_.name) == 1


def _fits(wanted: tuple[Type, ...], given: list[Type], bindings: Bindings) -> bool:
    return len(wanted) == len(given) and all(unified(w, g, bindings) for w, g in zip(wanted, given, strict=True))


def _filled(result: Type, bindings: Bindings) -> Type:
    if _is_letter(result):
        return bindings.get(result.name, DYN)
    if not result.parameters:
        return result
    return replace(result, parameters=tuple(_filled(parameter, bindings) for parameter in result.parameters))
