"""How much an expression may cost at worst, in the units of cel-go.

``checker/cost.go`` of cel-go (v0.26) and ``k8s.io/apiserver/pkg/cel/library/cost.go`` (v1.36): a rule that could take
too long for the largest value that its schema allows is refused with the definition. Only the worst case matters to
that, so the least cost is not computed; where nothing bounds a size it is ``UNBOUNDED``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from sidings.api.cel import tree
from sidings.api.cel import types as cel_types
from sidings.api.cel.checker import Checked
from sidings.api.cel.tree import AND, CONDITIONAL, IN, OR, Call, Fold, ListOf, Literal, MapOf, Name, Node, Select
from sidings.api.cel.types import Type

UNBOUNDED = (1 << 64) - 1
_TRAVERSAL, _PATTERN = 0.1, 0.25
_LIST, _MAP = 10, 30
_ADDRESS_BYTES = 16
_LOOPS: Mapping[str, int] = {"all": 3, "exists": 4, "exists_one": 2}
"""What a turn of a macro costs beside its body: reading the result so far, and asking whether to go on."""
_APPENDED, _INSERTED = 12, 33
"""What it costs to put one more item into a list, or entry into a map, that a macro makes."""
_TEXTS = {"string", "bytes"}


def worst(node: Node, checked: Checked) -> int:
    """The largest cost of evaluating ``node`` once."""
    return _Estimate(checked).cost(node)


def times(left: int, right: int) -> int:
    return min(left * right, UNBOUNDED)


def plus(*parts: int) -> int:
    return min(sum(parts), UNBOUNDED)


def _share(size: int, factor: float) -> int:
    return UNBOUNDED if size >= UNBOUNDED else math.ceil(size * factor)


class _Estimate:
    def __init__(self, checked: Checked) -> None:
        self._types = checked.types
        self._chosen = checked.chosen
        self._sizes: dict[Node, int] = {}

    def cost(self, node: Node) -> int:
        match node:
            case Literal():
                return 0
            case Name():
                return 1
            case Select(operand=operand):
                return self._select(node, operand)
            case Call():
                return self._call(node)
            case ListOf(items=items):
                return plus(_LIST, *map(self.cost, items))
            case MapOf(pairs=pairs):
                return plus(_MAP, *(self.cost(part) for pair in pairs for part in pair))
            case Fold():
                return self._fold(node)
        raise TypeError(node)

    def _select(self, node: Select, operand: Node) -> int:
        holder = self._types[operand]
        if node.asks:
            return self.cost(operand)
        free = holder.fields is None and holder.name != "map" and not node.optional
        return plus(self.cost(operand), 0 if free else 1)

    def size(self, node: Node) -> int:
        """How many characters, items or entries at most; 1 for a number."""
        if node in self._sizes:
            return self._sizes[node]
        match node:
            case Literal(value=str() as text):
                return len(text)
            case Literal():
                return 1
            case ListOf(items=parts):
                return len(parts)
            case MapOf(pairs=pairs):
                return len(pairs)
        return _size_of(self._types[node])

    def _call(self, node: Call) -> int:
        operands = node.operands
        if node.function == "dyn":
            self._sizes[node] = self.size(operands[0])
            return plus(1, self.cost(operands[0]))
        costs = [self.cost(operand) for operand in operands]
        if node.function == CONDITIONAL:
            self._sizes[node] = max(self.size(operands[1]), self.size(operands[2]))
            return plus(costs[0], max(costs[1:]))
        own = 0 if node.function in (AND, OR) else self._own(node, operands)
        return plus(own, *costs)

    def _own(self, node: Call, operands: Sequence[Node]) -> int:
        """What a call costs beside its operands."""
        function = node.function
        if function == "_+_":
            return self._addition(node, operands)
        if function in tree.EQUALITIES or (function in tree.ORDERS and self._may_be(node) & _TEXTS):
            return _share(min(map(self.size, operands)), _TRAVERSAL)
        if function == IN:
            return self.size(operands[1]) if self._types[operands[1]].name == "list" else 1
        estimate = _LIBRARY.get(function)
        return estimate(self, node, operands) if estimate is not None else 1

    def _addition(self, node: Call, operands: Sequence[Node]) -> int:
        may_be = self._may_be(node)
        if may_be & {"list", *_TEXTS}:
            self._sizes[node] = plus(*map(self.size, operands))
        return _share(self.size(node), _TRAVERSAL) if may_be & _TEXTS else 1

    def _may_be(self, node: Call) -> set[str]:
        """The types that the first operand may have."""
        return {overload.operands[0].name for overload in self._chosen[node]}

    def type_of(self, node: Node) -> Type:
        return self._types[node]

    def resized(self, node: Node, size: int) -> None:
        self._sizes[node] = size

    def item_size(self, node: Node) -> int:
        """Of the items of a list."""
        if isinstance(node, ListOf):
            return max(map(self.size, node.items), default=0)
        parameters = self._types[node].parameters
        return _size_of(parameters[0]) if parameters else UNBOUNDED

    def _fold(self, node: Fold) -> int:
        target, body = self.cost(node.target), self.cost(node.body)
        if node.macro in ("optMap", "optFlatMap"):
            wrapped = 1 if node.macro == "optMap" else 0
            return plus(target, 1, max(plus(wrapped, _LIST, target, 1, body), 1))
        turns = self.size(node.target)
        if node.macro in _LOOPS:
            return plus(target, 2 if node.macro == "exists_one" else 1, times(turns, plus(_LOOPS[node.macro], body)))
        makes_map = node.macro.startswith("transformMap")
        turn = plus(_INSERTED if makes_map else _APPENDED, 1 if node.macro == "filter" else 0, body)
        chosen = self.cost(node.chosen) if node.chosen is not None else 0
        self._sizes[node] = turns
        return plus(target, _MAP if makes_map else _LIST, 1, times(turns, plus(chosen, turn)))


def _size_of(type_: Type) -> int:
    if type_.most is not None:
        return type_.most
    return 1 if cel_types.is_scalar(type_) else UNBOUNDED


Estimate = Callable[[_Estimate, Call, Sequence[Node]], int]


def _traversal(factor: float = 1, *, keeps_size: bool = False) -> Estimate:
    """As long as the first operand is; the result is no larger."""

    def estimate(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
        size = sizes.size(operands[0])
        if keeps_size:
            sizes.resized(node, size)
        return _share(size, factor * _TRAVERSAL)

    return estimate


def _prefix(sizes: _Estimate, _: Call, operands: Sequence[Node]) -> int:
    return _share(sizes.size(operands[1]), _TRAVERSAL)


def _contains(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    text, part = operands
    return times(_share(sizes.size(text), _TRAVERSAL), _share(sizes.size(part), _TRAVERSAL))


def _search(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    text, pattern = sizes.size(operands[0]), sizes.size(operands[1])
    if node.function != "matches":
        sizes.resized(node, text)
    return times(_share(plus(text, 1), _TRAVERSAL), _share(pattern, _PATTERN))


def _scan(sizes: _Estimate, _: Call, operands: Sequence[Node]) -> int:
    """Once through a list, or through a text."""
    target = operands[0]
    type_ = sizes.type_of(target)
    if type_.name != "list":
        return _share(sizes.size(target), _TRAVERSAL)
    holds_texts = type_.parameters[0].name in _TEXTS
    return times(sizes.size(target), plus(1, _share(sizes.item_size(target), _TRAVERSAL) if holds_texts else 0))


def _split(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    size = most = sizes.size(operands[0])
    match operands:
        case [_, _, Literal(value=int() as limit)]:
            most = limit
    sizes.resized(node, most)
    return _share(size, 2 * _TRAVERSAL)


def _join(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    count = sizes.size(operands[0])
    total = times(count, sizes.item_size(operands[0]))
    if len(operands) > 1:
        total = plus(total, times(sizes.size(operands[1]), max(count - 1, 0)))
    sizes.resized(node, total)
    return _share(total, _TRAVERSAL)


def _replace(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    """The result is longest where the shortest text that is replaced makes way for the longest."""
    text, new = sizes.size(operands[0]), sizes.size(operands[2])
    old = sizes.size(operands[1]) if isinstance(operands[1], Literal) else 0
    if not old:
        longest = plus(times(plus(text, 1), new), text)
    elif new <= old:
        longest = text
    else:
        longest = times(_share(text, 1 / old), new)
    sizes.resized(node, longest)
    return _share(text, 2 * _TRAVERSAL)


def _within(sizes: _Estimate, node: Call, operands: Sequence[Node]) -> int:
    """One network holds another or an address: their bytes are compared, a text is read first."""
    compared = _share(2 * _ADDRESS_BYTES, _TRAVERSAL)
    if node.function == "containsCIDR":
        compared += _share(_ADDRESS_BYTES, _TRAVERSAL) + 1
    text = sizes.size(operands[1]) if sizes.type_of(operands[1]).name == "string" else 0
    return plus(compared, _share(text, _TRAVERSAL))


_LIBRARY: Mapping[str, Estimate] = {
    "startsWith": _prefix,
    "endsWith": _prefix,
    "contains": _contains,
    "matches": _search,
    "find": _search,
    "findAll": _search,
    "lowerAscii": _traversal(keeps_size=True),
    "upperAscii": _traversal(keeps_size=True),
    "trim": _traversal(keeps_size=True),
    "substring": _traversal(keeps_size=True),
    "format": _traversal(),
    "strings.quote": _traversal(),
    "url": _traversal(),
    "isSorted": _scan,
    "sum": _scan,
    "min": _scan,
    "max": _scan,
    "indexOf": _scan,
    "lastIndexOf": _scan,
    "split": _split,
    "join": _join,
    "replace": _replace,
    "containsIP": _within,
    "containsCIDR": _within,
}
