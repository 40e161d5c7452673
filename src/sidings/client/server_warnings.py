"""``Warning`` headers: what an API server has to say about a request that it takes, such as fields that do nothing.

``299 - "text"`` (RFC 7234), as kube-apiserver writes and kubectl reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Warn = Callable[[str], None]
"""Called with the text of a warning."""

_WARNING = re.compile(r'\d{3} \S+ "((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")


def unheard(text: str) -> None:
    """Nobody listens."""


def texts(header: str) -> list[str]:
    """The texts of a header's values, several in a line or in lines; what is no warning is left out."""
    found = [_ESCAPED.sub(r"\1", text) for text in _WARNING.findall(header)]
    return [text.encode("latin-1", "replace").decode("utf-8", "replace") for text in found]


def each_once(warn: Warn) -> Warn:
    """Tells ``warn`` of a text the first time only: a server repeats it for every request."""
    heard: set[str] = set()

    def tell(text: str) -> None:
        if text not in heard:
            heard.add(text)
            warn(text)

    return tell
