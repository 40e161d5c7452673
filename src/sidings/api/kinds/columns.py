"""The printer columns that several kinds share, and how upstream prints what has no value.

Column names and their order are those of ``pkg/printers/internalversion/printers.go`` (Kubernetes v1.36).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from sidings.api import age
from sidings.api.kind import Column
from sidings.api.objects import Object

NONE = "<none>"
UNKNOWN = "<unknown>"
UNSET = "<unset>"


def _age(obj: Object, now: datetime) -> str:
    return age.since(obj["metadata"].get("creationTimestamp"), now)


def field(*path: str, missing: str = "") -> Callable[[Object, datetime], Any]:
    """A cell with the value at ``path``. Built-in kinds print ``missing``, where a JSONPath would give null."""

    def cell(obj: Object, now: datetime) -> Any:
        value: Any = obj
        for name in path:
            value = (value or {}).get(name)
        return value or missing

    return cell


def selector_text(labels: Mapping[str, Any] | None) -> str:
    """A map of labels as ``a=b,c=d``, sorted by key."""
    return ",".join(f"{key}={value}" for key, value in sorted((labels or {}).items())) or NONE


NAME = Column("Name", json_path=".metadata.name", format="name", description="Unique within its namespace and kind.")
AGE = Column("Age", cell=_age, description="Time since the object was created.")
DATE_AGE = Column("Age", type="date", json_path=".metadata.creationTimestamp", description=AGE.description)
"""Age as a custom resource declares it: a date by path, which the table turns into an age."""
