"""The walk of a program through a text: in all its steps at once, character by character (RE2's lazy automaton).

Nothing is tried twice, so a text takes no longer than its length times that of the program. And what a character leads
to from some steps is kept, so that most characters cost one look into a dictionary.
"""

from __future__ import annotations

from sidings.api.go_regexp import classes
from sidings.api.go_regexp.parsing import PatternError
from sidings.api.go_regexp.program import Program, Step

MOST_WORK = 2_000_000
"""Steps and characters that one question may cost, a second or two: who asks holds up everybody else."""
MOST_KEPT = 20_000
"""Steps and characters in states that are kept, a megabyte or two; then all are forgotten and found again."""
END = ""
"""Comes after the last character."""


class TooMuchWork(PatternError):
    """The text is so long, and the pattern so ambiguous, that others would wait for the answer."""

    def __init__(self) -> None:
        super().__init__("the regular expression takes too long for this text")


class State(dict[str, "State"]):
    """Where the walk is before a character, by which it holds the next state; ``END`` leads on as well.

    ``steps`` wait for a character or to be followed, ``before`` is the kind of the last character, and ``matched`` says
    whether there was a match before it.
    """

    __slots__ = ("_walk", "before", "matched", "steps")

    def __init__(self, walk: Automaton, steps: tuple[int, ...], before: str, matched: bool) -> None:
        self._walk = walk
        self.steps = steps
        self.before = before
        self.matched = matched

    def __missing__(self, char: str) -> State:
        found = self[char] = self._walk.after(self, char)
        return found


class Automaton:
    """``anywhere``: a match may begin at each character, and any is good. Else it begins where the walk does, and a
    state has only what is still preferred to the match that was found last."""

    def __init__(self, program: Program, *, anywhere: bool) -> None:
        self._steps = [*program.steps, Step(())]  # a match leads nowhere
        self._start, self._match = program.start, len(program.steps)
        self._anywhere = anywhere
        self._takes = list({step.takes for step in self._steps if step.takes is not None})
        places = {takes: place for place, takes in enumerate(self._takes)}
        self._taken = [places[step.takes] if step.takes is not None else -1 for step in self._steps]
        self._accepted: dict[str, frozenset[int]] = {}
        self._states: dict[tuple[tuple[int, ...], str, bool], State] = {}
        self._kept = 0
        self._work = 0

    def work(self, amount: int) -> None:
        """Counts what was done since ``first``. Raises ``TooMuchWork``."""
        self._work += amount
        if self._work > MOST_WORK:
            raise TooMuchWork

    def first(self) -> State:
        """The state before the first character of a text."""
        self._work = 0
        return self.begin("")

    def begin(self, before: str) -> State:
        """The state of a walk that begins after ``before``, the empty text at the start."""
        return self._state((self._start,), _kind(before), False)

    def after(self, state: State, char: str) -> State:
        """The state after ``char``. Raises ``TooMuchWork``."""
        kind = _kind(char)
        reached = self._reached(state.steps, state.before, kind)
        self.work(len(reached) + 1)
        matched = self._match in reached
        if matched and not self._anywhere:
            reached = reached[: reached.index(self._match)]
        accepted, taken, steps = self._accepting(char), self._taken, self._steps
        moved = dict.fromkeys(steps[number].to[0] for number in reached if taken[number] in accepted)
        if self._anywhere:
            moved[self._start] = None
        return self._state(tuple(sorted(moved) if self._anywhere else moved), kind, matched)

    def _accepting(self, char: str) -> frozenset[int]:
        """The places in ``_takes`` of the sets with ``char``."""
        found = self._accepted.get(char)
        if found is None:
            found = frozenset(place for place, takes in enumerate(self._takes) if char and char in takes)
            self._accepted[char] = found
        return found

    def _state(self, steps: tuple[int, ...], before: str, matched: bool) -> State:
        key = steps, before, matched
        found = self._states.get(key)
        self._kept += 1 if found else len(steps)
        if self._kept > MOST_KEPT:
            self._forget()
        if found is None:
            found = self._states[key] = State(self, *key)
        return found

    def _forget(self) -> None:
        for state in self._states.values():
            state.clear()  # they hold each other
        self._states.clear()
        self._accepted.clear()
        self._kept = 0

    def _reached(self, numbers: tuple[int, ...], before: str, after: str) -> list[int]:
        """Where ``numbers`` come to without a character, what is preferred first."""
        steps = self._steps
        reached: dict[int, None] = {}
        waiting = list(reversed(numbers))
        while waiting:
            number = waiting.pop()
            if number in reached:
                continue
            reached[number] = None
            to, takes, edge = steps[number]
            if takes is None and (not edge or _is_at(edge, before, after)):
                waiting += reversed(to)
        return list(reached)


def _kind(char: str) -> str:
    """What an edge has to know of the character beside it."""
    return char if char in ("", "\n") else "w" if classes.is_word(char) else " "


def _is_at(edge: str, before: str, after: str) -> bool:
    match edge:
        case "start":
            return not before
        case "end":
            return not after
        case "line start":
            return before in ("", "\n")
        case "line end":
            return after in ("", "\n")
    return ((before == "w") is not (after == "w")) is (edge == "word edge")
