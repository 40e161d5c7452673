"""JSON values as Go names and prints them, because upstream's messages show them so and people search for those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def json_type(value: Any) -> str:
    """The word of ``encoding/json`` for the type of a decoded value: ``cannot unmarshal number into ...``."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    return {str: "string", list: "array", dict: "object"}.get(type(value), "null")


def text(value: Any) -> str:
    """``fmt``'s ``%v`` of a decoded value: ``map[a:1 b:[x y]]``, keys sorted, strings bare."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "map[" + " ".join(f"{key}:{text(value[key])}" for key in sorted(value)) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(text, value)) + "]"
    return str(value)
