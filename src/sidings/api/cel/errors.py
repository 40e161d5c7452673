"""What can be wrong with an expression.

::

    CelError
    ├── CelSyntaxError    it cannot be read
    └── EvaluationError   it cannot be answered for this value: no such key, division by zero
        └── CostExceeded  it would take too long for this value

What does not fit the schema is told by the checker as ``Issue``s, several at a time.
"""

from __future__ import annotations

from typing import NamedTuple


class Issue(NamedTuple):
    """Something wrong at an ``offset`` of an expression's text."""

    offset: int
    message: str


class CelError(Exception):
    """The message is what a user sees."""


class CelSyntaxError(CelError):
    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.issue = Issue(offset, message)


class EvaluationError(CelError):
    pass


class CostExceeded(EvaluationError):
    """A rule goes through so many items, or so long a text, that others would wait for it."""

    def __init__(self) -> None:
        super().__init__("operation cancelled: actual cost limit exceeded")


def shown(text: str, issues: list[Issue]) -> str:
    """``issues`` of the expression ``text`` as cel-go prints them: in the order of their places, with pointers."""
    lines = text.split("\n")
    told = []
    for issue in sorted(issues):
        before = text[: issue.offset].split("\n")
        line, column = len(before), len(before[-1])
        source = lines[line - 1].replace("\t", " ")
        told.append(f"ERROR: <input>:{line}:{column + 1}: {issue.message}\n | {source}\n | {'.' * column}^")
    return "\n".join(told)
