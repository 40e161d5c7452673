"""Which word was meant by one that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

CLOSE = 0.75
"""``difflib``'s ratio from which on two names are near: one letter in seven, or another case."""


def hint(name: str, known: Iterable[str]) -> str:
    """`` (did you mean "numNodes"?)`` for ``numNodez``; empty where none of ``known`` is near."""
    by_lower = {word.lower(): word for word in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=CLOSE)
    return f' (did you mean "{by_lower[near[0]]}"?)' if near else ""
