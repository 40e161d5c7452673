"""The syntax tree of an expression.

Three readers need it: the checker asks what type a node has, the estimate of costs how large it may be, and ``program``
makes closures of it. Nodes are told apart by identity, so that the checker's answers can be kept beside the tree.

Operators are calls, under the names by which CEL declares their overloads: ``_+_``, ``!_``, ``_[_]``. Macros
(``all``, ``map``, ...) are ``Fold`` nodes instead of CEL's general comprehension: there are no others here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

CONDITIONAL = "_?_:_"
OR, AND, NOT, NEGATE = "_||_", "_&&_", "!_", "-_"
IN = "@in"
EQUALITIES, ORDERS = ("_==_", "_!=_"), ("_<_", "_<=_", "_>_", "_>=_")
INDEX, OPTIONAL_INDEX = "_[_]", "_[?_]"


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    offset: int
    """Where the compiler points to when something is wrong with it, in characters from the start."""


@dataclass(frozen=True, slots=True, eq=False)
class Literal(Node):
    value: object


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select(Node):
    """``operand.field``; with ``asks`` it is ``has(operand.field)``, with ``optional`` it is ``operand.?field``."""

    operand: Node
    field: str
    asks: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A function, operator or method; ``target`` is what a method is called on."""

    function: str
    target: Node | None
    arguments: tuple[Node, ...]

    @property
    def operands(self) -> tuple[Node, ...]:
        """All arguments, with that before the dot as the first."""
        return self.arguments if self.target is None else (self.target, *self.arguments)


@dataclass(frozen=True, slots=True, eq=False)
class ListOf(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MapOf(Node):
    pairs: tuple[tuple[Node, Node], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fold(Node):
    """A macro over ``target``: ``variables`` are one or two, ``chosen`` is the filter of those that may have one."""

    macro: str
    target: Node
    variables: tuple[str, ...]
    chosen: Node | None
    body: Node


def names(node: Node) -> Iterator[str]:
    """The variables that an expression reads, its own among them."""
    if isinstance(node, Name):
        yield node.name
    for below in children(node):
        yield from names(below)


def children(node: Node) -> Iterator[Node]:
    match node:
        case Select(operand=operand):
            yield operand
        case Call():
            yield from node.operands
        case ListOf(items=items):
            yield from items
        case MapOf(pairs=pairs):
            for pair in pairs:
                yield from pair
        case Fold():
            yield node.target
            if node.chosen is not None:
                yield node.chosen
            yield node.body
