"""Sets of characters: of the Perl classes, which are ASCII in Go, of POSIX's, and of Unicode's general categories."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

HIGHEST = 0x10FFFF
Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CharSet:
    """Characters in ``ranges``, or of a general category that begins with one of ``categories``; or all but these.

    ``parts`` are sets within a set, as ``\\D`` is in ``[\\Da]``. ``folds`` asks for either case of a letter.
    """

    ranges: Ranges = ()
    categories: tuple[str, ...] = ()
    parts: tuple[CharSet, ...] = ()
    negated: bool = False
    folds: bool = False

    def __contains__(self, char: str) -> bool:
        forms = {char, char.lower(), char.upper()} if self.folds else (char,)
        return any(len(form) == 1 and self._has(form) for form in forms) is not self.negated

    def _has(self, char: str) -> bool:
        code = ord(char)
        return (
            any(low <= code <= high for low, high in self.ranges)
            or bool(self.categories and unicodedata.category(char).startswith(self.categories))
            or any(char in part for part in self.parts)
        )


def of_chars(chars: str, *, folds: bool = False) -> CharSet:
    return CharSet(tuple((ord(char), ord(char)) for char in chars), folds=folds)


def _ranges(text: str) -> Ranges:
    """``"azAZ__"`` is a to z, A to Z, and the underscore."""
    return tuple((ord(text[i]), ord(text[i + 1])) for i in range(0, len(text), 2))


_DIGITS, _WORDS, _SPACES = _ranges("09"), _ranges("09AZ__az"), _ranges("\t\n\f\r  ")
PERL = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
POSIX = {
    "alnum": _ranges("09AZaz"),
    "alpha": _ranges("AZaz"),
    "ascii": _ranges("\x00\x7f"),
    "blank": _ranges("\t\t  "),
    "cntrl": _ranges("\x00\x1f\x7f\x7f"),
    "digit": _DIGITS,
    "graph": _ranges("!~"),
    "lower": _ranges("az"),
    "print": _ranges(" ~"),
    "punct": _ranges("!/:@[`{~"),
    "space": _ranges("\t\r  "),
    "upper": _ranges("AZ"),
    "word": _WORDS,
    "xdigit": _ranges("09AFaf"),
}
CATEGORIES = frozenset(
    "C Cc Cf Co Cs L Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs".split()
)
ANY = CharSet(((0, HIGHEST),))
NOT_LINE_FEED = CharSet(_ranges("\n\n"), negated=True)


def is_word(char: str) -> bool:
    """Whether ``char`` is of a word, of which ``\\b`` is the edge."""
    return any(low <= ord(char) <= high for low, high in _WORDS) if char else False


def union(parts: Iterable[CharSet], *, negated: bool, folds: bool) -> CharSet:
    return CharSet(parts=tuple(parts), negated=negated, folds=folds)
