"""What is wrong with a job, in a form that a person and a program can act on.

Every finding has a code that never changes its meaning (``codes``), the object it is about, the numbers behind it, and
the command that mends it. How grave it is belongs to the code, not to the case.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, NamedTuple

from sidings.api.objects import Object, name_of, namespace_of


class Severity(StrEnum):
    """Whether a job goes on by itself."""

    ERROR = "error"
    """It never will."""
    WARNING = "warning"
    """It does, and somebody should look all the same."""
    NOTE = "note"
    """It does."""

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return list(Severity).index(self)


class Finding(NamedTuple):
    """``where`` is the object (``LocalQueue team/lq``), ``what`` holds the numbers, ``remedy`` is a command to run."""

    code: str
    severity: Severity
    where: str
    what: str
    cause: str = ""
    remedy: str = ""

    def as_json(self) -> dict[str, Any]:
        """The fields by name, for ``-o json``."""
        return {name: str(value) for name, value in self._asdict().items()}


def place_of(obj: Object) -> str:
    """``Pod team/trainer-0``, ``ClusterQueue gpus``."""
    namespace = namespace_of(obj)
    return f"{obj['kind']} {namespace}/{name_of(obj)}" if namespace else f"{obj['kind']} {name_of(obj)}"
