"""The instructions of a pattern, and the walk through them: in all states at once, character by character.

Nothing is tried twice, so a text takes no longer than its length times that of the program (Thompson; RE2).
"""

from __future__ import annotations

from typing import NamedTuple

from sidings.api.go_regexp import classes
from sidings.api.go_regexp.classes import CharSet
from sidings.api.go_regexp.parsing import Char, Choice, Edge, InvalidPattern, Repeat, Sequence, Tree

LONGEST = 4_000
"""Instructions. Go allows millions; a text of some hundred characters must take no more than a moment here."""


class Step(NamedTuple):
    """Goes on at each of ``to``: past a character of ``takes``, or past the place ``edge``, or at once."""

    to: tuple[int, ...]
    takes: CharSet | None = None
    edge: str = ""


class Program:
    """Steps; the one with number ``len(steps)`` is a match. The first is number ``start``."""

    def __init__(self, steps: list[Step], start: int) -> None:
        self._steps = steps
        self._start = start

    def found(self, text: str) -> bool:
        """Whether there is a match anywhere in ``text``."""
        states: set[int] = set()
        for at in range(len(text) + 1):
            states.add(self._start)
            reached = self._reached(states, text, at)
            if len(self._steps) in reached:
                return True
            if at < len(text):
                char = text[at]
                states = {
                    to
                    for state in reached
                    if (takes := self._steps[state].takes) is not None and char in takes
                    for to in self._steps[state].to
                }
        return False

    def _reached(self, states: set[int], text: str, at: int) -> set[int]:
        """Where ``states`` come to at the place ``at`` without a character."""
        reached: set[int] = set()
        waiting = list(states)
        while waiting:
            state = waiting.pop()
            if state in reached:
                continue
            reached.add(state)
            if state < len(self._steps):
                step = self._steps[state]
                if step.takes is None and (not step.edge or _is_at(step.edge, text, at)):
                    waiting += step.to
        return reached


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
            times = tree.least + 1 if tree.most is None else tree.most
            return times * (_size(tree.what) + 1) + 1


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
            loop = self._reserve()
            self._placed[loop] = Step((self.add(tree.what, loop), then))
            then = loop
        else:
            end = then
            for _ in range(tree.most - tree.least):
                then = self._place(Step((self.add(tree.what, then), end)))
        for _ in range(tree.least):
            then = self.add(tree.what, then)
        return then

    def _place(self, step: Step) -> int:
        number = self._reserve()
        self._placed[number] = step
        return number

    def _reserve(self) -> int:
        self._free -= 1
        return self._free


def _is_at(edge: str, text: str, at: int) -> bool:
    before, after = text[at - 1 : at] if at else "", text[at : at + 1]
    match edge:
        case "start":
            return at == 0
        case "end":
            return at == len(text)
        case "line start":
            return before in ("", "\n")
        case "line end":
            return after in ("", "\n")
    at_word_edge = classes.is_word(before) is not classes.is_word(after)
    return at_word_edge is (edge == "word edge")
