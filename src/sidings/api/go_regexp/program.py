"""The instructions of a pattern: a step for each character that it may take, and for each choice (Thompson; RE2)."""

from __future__ import annotations

from typing import NamedTuple

from sidings.api.go_regexp.classes import CharSet
from sidings.api.go_regexp.parsing import Char, Choice, Edge, InvalidPattern, Repeat, Sequence, Tree

LONGEST = 10_000
"""Steps. Go allows millions; here a character that leads where none has led before costs a look at each."""


class Step(NamedTuple):
    """Goes on at each of ``to``, what is first preferred: past a character of ``takes``, past ``edge``, or at once."""

    to: tuple[int, ...]
    takes: CharSet | None = None
    edge: str = ""


class Program(NamedTuple):
    """``steps`` from the number ``start`` on; the number ``len(steps)`` is a match."""

    steps: list[Step]
    start: int


def compiled(tree: Tree) -> Program:
    """Raises ``InvalidPattern`` where the program would be too long."""
    size = _size(tree)
    if size > LONGEST:
        raise InvalidPattern("expression too large")
    builder = _Builder(size)
    start = builder.add(tree, size)
    return Program(builder.steps(), start)


def _size(tree: Tree) -> int:
    match tree:
        case Char() | Edge():
            return 1
        case Sequence():
            return sum(map(_size, tree.parts))
        case Choice():
            return 1 + sum(map(_size, tree.of))
        case Repeat():
            once = _size(tree.what)
            return max(tree.least, 1) * once + 2 if tree.most is None else tree.most * (once + 1)


def _may_be_empty(tree: Tree) -> bool:
    match tree:
        case Char():
            return False
        case Edge():
            return True
        case Sequence():
            return all(map(_may_be_empty, tree.parts))
        case Choice():
            return any(map(_may_be_empty, tree.of))
        case Repeat():
            return not tree.least or _may_be_empty(tree.what)


class _Builder:
    """Places steps from the end to the start: each knows where it leads."""

    def __init__(self, size: int) -> None:
        self._placed: list[Step | None] = [None] * size
        self._free = size

    def steps(self) -> list[Step]:
        return [step or Step(()) for step in self._placed]

    def add(self, tree: Tree, then: int) -> int:
        """The number of the first step of ``tree``, after which it goes on at ``then``."""
        match tree:
            case Char():
                return self._place(Step((then,), takes=tree.of))
            case Edge():
                return self._place(Step((then,), edge=tree.kind))
            case Sequence():
                for part in reversed(tree.parts):
                    then = self.add(part, then)
                return then
            case Choice():
                return self._place(Step(tuple(self.add(part, then) for part in tree.of)))
            case Repeat():
                return self._repeat(tree, then)

    def _repeat(self, tree: Repeat, then: int) -> int:
        if tree.most is None:
            return self._endless(tree, then)
        end = then
        for _ in range(tree.most - tree.least):
            then = self._place(_either(self.add(tree.what, then), end, tree))
        for _ in range(tree.least):
            then = self.add(tree.what, then)
        return then

    def _endless(self, tree: Repeat, then: int) -> int:
        loop = self._reserve()
        first = self.add(tree.what, loop)
        self._placed[loop] = _either(first, then, tree)
        if not tree.least:
            # What may be empty is asked once before the loop is left, else the order of preference were lost (Go's
            # issue 46123).
            return self._place(_either(first, then, tree)) if _may_be_empty(tree.what) else loop
        for _ in range(tree.least - 1):
            first = self.add(tree.what, first)
        return first

    def _place(self, step: Step) -> int:
        number = self._reserve()
        self._placed[number] = step
        return number

    def _reserve(self) -> int:
        self._free -= 1
        return self._free


def _either(again: int, on: int, tree: Repeat) -> Step:
    return Step((on, again) if tree.lazy else (again, on))
