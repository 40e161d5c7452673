"""Go's regular expressions (``regexp``, RE2): whether one is found in a text, and what it finds.

Manifests hold patterns that a cluster reads with Go. Python's ``re`` reads others: it takes back-references and
look-around that Go refuses, knows no ``[[:alpha:]]`` and no ``\\z``, lets ``$`` match before a last line feed; and it
backtracks, so that one pattern of one user can stop a process that serves many. Here the time is bounded by the length
of the pattern times that of the text. ``parsing`` makes a tree, ``program`` steps of it, and ``automaton`` walks them.

Every pattern that comes with an object goes through here: ``pattern`` of schemas, ``matches``, ``find`` and
``findAll`` of CEL, and those of a JobSet's failure policy.
"""

from __future__ import annotations

from sidings.api.go_regexp.automaton import TooMuchWork
from sidings.api.go_regexp.expression import expression
from sidings.api.go_regexp.parsing import InvalidPattern, PatternError

__all__ = ["InvalidPattern", "PatternError", "TooMuchWork", "expression", "found"]


def found(pattern: str, text: str) -> bool:
    """Whether ``text`` holds a match of ``pattern``, as ``regexp.MatchString`` says. Raises ``PatternError``."""
    return expression(pattern).found_in(text)
