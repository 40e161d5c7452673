"""Go's regular expressions (``regexp/syntax``, RE2), whether one is found in a text.

Manifests hold patterns that a cluster reads with Go. Python's ``re`` reads others: it takes back-references and
look-around that Go refuses, knows no ``[[:alpha:]]`` and no ``\\z``, lets ``$`` match before a last line feed; and it
backtracks, so that one pattern of one user can stop a process that serves many. Here the time is bounded by the length
of the pattern times that of the text. ``parsing`` makes a tree, ``program`` instructions of it and walks them.
"""

from __future__ import annotations

from functools import lru_cache

from sidings.api.go_regexp.parsing import InvalidPattern, parse
from sidings.api.go_regexp.program import Program, compiled

__all__ = ["InvalidPattern", "found"]


def found(pattern: str, text: str) -> bool:
    """Whether ``text`` holds a match of ``pattern``, as ``regexp.MatchString`` says. Raises ``InvalidPattern``."""
    return _program(pattern).found(text)


@lru_cache(maxsize=256)
def _program(pattern: str) -> Program:
    return compiled(parse(pattern))
