"""Equality as Go's ``DeepEqual`` has it for decoded objects: what is empty is often the same as what is not there.

Empty text, empty lists, null, and empty maps and plain structs vanish when Go encodes them, so a client may send them
or not. An empty struct behind a pointer does not: ``podAffinity: {}`` differs from no ``podAffinity``.
"""

from __future__ import annotations

from typing import Any

_PLAIN = frozenset(
    ("metadata", "labels", "annotations", "nodeSelector", "matchLabels", "resources", "limits", "requests", "status")
)
"""Fields whose empty object means nothing: maps, and structs that are no pointers."""


def semantically_equal(left: Any, right: Any) -> bool:
    return bool(_significant(left) == _significant(right))


def _significant(value: Any) -> Any:
    if isinstance(value, list):
        return [_significant(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _significant(item) for key, item in value.items()}
    return {
        key: item
        for key, item in kept.items()
        if not (item is None or item == "" or item == [] or (item == {} and key in _PLAIN))
    }
