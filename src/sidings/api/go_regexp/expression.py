"""A pattern that was read, and what texts are asked with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache

from sidings.api.go_regexp.automaton import END, Automaton
from sidings.api.go_regexp.parsing import parse, reversed_
from sidings.api.go_regexp.program import compiled


class Expression:
    def __init__(self, pattern: str) -> None:
        """Raises ``InvalidPattern``."""
        self._tree = parse(pattern)
        self._somewhere = Automaton(compiled(self._tree), anywhere=True)

    @cached_property
    def _backwards(self) -> Automaton:
        return Automaton(compiled(reversed_(self._tree)), anywhere=True)

    @cached_property
    def _from_here(self) -> Automaton:
        return Automaton(compiled(self._tree), anywhere=False)

    def found_in(self, text: str) -> bool:
        """Whether there is a match anywhere in ``text``. Raises ``TooMuchWork``."""
        state = self._somewhere.first()
        for char in text:
            state = state[char]
            if state.matched:
                return True
        return state[END].matched

    def all_in(self, text: str) -> Iterator[str]:
        """The matches from left to right, none over another, as ``regexp.FindAllString``. Raises ``TooMuchWork``.

        The text is read backwards once, which tells where matches begin; from there on it is read forwards to the end.
        """
        starts = self._starts(text)
        self._from_here.first()
        at, last_end = 0, -1
        for start in starts:
            if start < at:
                continue
            end = self._end(text, start)
            if start < end or start != last_end:  # none that is empty right after another
                yield text[start:end]
            at, last_end = max(end, start + 1), end

    def _starts(self, text: str) -> list[int]:
        """Where matches begin, those that lie over others among them, from left to right."""
        state = self._backwards.first()
        starts = []
        for place in range(len(text), 0, -1):
            state = state[text[place - 1]]
            if state.matched:
                starts.append(place)
        if state[END].matched:
            starts.append(0)
        return starts[::-1]

    def _end(self, text: str, start: int) -> int:
        """Where the match ends that begins at ``start``."""
        state = self._from_here.begin(text[start - 1 : start])
        end = place = start
        while state.steps and place <= len(text):
            state = state[text[place : place + 1]]
            if state.matched:
                end = place
            place += 1
        self._from_here.work(place - start)
        return end


@lru_cache(maxsize=512)
def expression(pattern: str) -> Expression:
    """Raises ``InvalidPattern``."""
    return Expression(pattern)
