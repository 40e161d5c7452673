"""What a reader of a conversion has to know: a field of the old job, and what becomes of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """How much of it is left."""

    LOST = "lost"
    CHANGED = "changed"
    """It works, but not as before."""


class Finding(NamedTuple):
    """``field`` is a path in the old job."""

    severity: Severity
    field: str
    text: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.field}: {self.text}"


def lost(field: str, text: str) -> Finding:
    return Finding(Severity.LOST, field, text)


def changed(field: str, text: str) -> Finding:
    return Finding(Severity.CHANGED, field, text)


class NotConvertible(ValueError):
    """A job for which there is no TrainJob; the text says why."""
