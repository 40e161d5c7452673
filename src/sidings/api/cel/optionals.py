"""Values that may be absent: ``self.?spec.?size.orValue(1)``, and ``oldSelf`` of a rule with ``optionalOldSelf``.

A selection on an optional is optional again, so that one question mark guards the rest of a path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sidings.api.cel.errors import EvaluationError


@dataclass(frozen=True)
class Optional:
    """``value`` means something only where it is ``present``."""

    present: bool
    value: Any = None


NONE = Optional(False)


def select(container: Any, key: Any) -> Optional:
    """``container.?key`` and ``container[?key]``."""
    if isinstance(container, Optional):
        return select(container.value, key) if container.present else NONE
    if isinstance(container, dict):
        return Optional(True, container[key]) if isinstance(key, str) and key in container else NONE
    if isinstance(container, list) and isinstance(key, int):
        return Optional(True, container[key]) if 0 <= key < len(container) else NONE
    raise EvaluationError("no such overload")


def _checked(value: Any) -> Optional:
    if not isinstance(value, Optional):
        raise EvaluationError("no such overload")
    return value


def _value(given: Any) -> Any:
    if not _checked(given).present:
        raise EvaluationError("optional.none() dereference")
    return given.value


def _of_non_zero(value: Any) -> Optional:
    return Optional(True, value) if value else NONE


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("optional.none", 0): lambda: NONE,
    ("optional.of", 1): lambda value: Optional(True, value),
    ("optional.ofNonZeroValue", 1): _of_non_zero,
    ("hasValue", 1): lambda given: _checked(given).present,
    ("value", 1): _value,
    ("orValue", 2): lambda given, other: given.value if _checked(given).present else other,
    ("or", 2): lambda given, other: given if _checked(given).present else _checked(other),
}
