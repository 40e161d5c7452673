"""From the JSON of an object to the values that rules see.

A text whose schema gives it the format of a time, a duration or of bytes is one: ``self.until < timestamp(...)``. What
does not fit its format stays a text, and the rule says that it cannot be answered.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from sidings.api import timestamps
from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.units import FUNCTIONS
from sidings.api.kind import Schema
from sidings.api.structural.node import Node, node_of


def _date(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "date-time": timestamps.from_text,
    "date": _date,
    "duration": FUNCTIONS["duration", 1],
    "byte": base64.b64decode,
}


def has_formats(schema: Schema) -> bool:
    """Whether any text below ``schema`` is more than a text to rules."""
    return _has_formats(node_of(schema))


@lru_cache(maxsize=1 << 16)
def _has_formats(node: Node) -> bool:
    """Remembered: the schema of a pod template has thousands of places, and each create would walk all of them."""
    if node.type == "string":
        return node.format in _READERS
    below = [*node.properties.values(), node.items, node.additional]
    return any(_has_formats(each) for each in below if each is not None)


def of_json(schema: Schema, value: Any) -> Any:
    """``value``, which fits ``schema``, as rules see it."""
    return _seen(node_of(schema), value)


def _seen(node: Node | None, value: Any) -> Any:
    if node is None or not _has_formats(node):
        return value
    if isinstance(value, str):
        return _text(node.format, value) if node.type == "string" else value
    if isinstance(value, list):
        return [_seen(node.items, item) for item in value]
    if isinstance(value, dict):
        return {name: _seen(node.properties.get(name, node.additional), item) for name, item in value.items()}
    return value


def _text(given: str, value: str) -> Any:
    reader = _READERS.get(given)
    if reader is None:
        return value
    try:
        return reader(value)
    except (ValueError, EvaluationError):
        return value
