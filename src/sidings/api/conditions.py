"""``status.conditions``: lists of ``{type, status, reason, message, lastTransitionTime}`` keyed by type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sidings.api.objects import Object


def find(conditions: Iterable[Object] | None, type_: str) -> Object | None:
    for condition in conditions or ():
        if condition.get("type") == type_:
            return condition
    return None


def is_true(obj: Mapping[str, Any], type_: str) -> bool:
    """Whether ``obj.status.conditions`` holds ``type_`` with status ``"True"``."""
    condition = find((obj.get("status") or {}).get("conditions"), type_)
    return condition is not None and condition.get("status") == "True"
