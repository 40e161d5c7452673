"""What can be wrong with an expression.

::

    CelError
    ├── CelSyntaxError    it cannot be read, or uses what we do not have
    └── EvaluationError   it cannot be answered for this value: no such key, division by zero
        └── CostExceeded  it would take too long for this value
"""

from __future__ import annotations


class CelError(Exception):
    """The message is what a user sees."""


class CelSyntaxError(CelError):
    pass


class EvaluationError(CelError):
    pass


class CostExceeded(EvaluationError):
    """A rule goes through so many items that others would wait for it."""
