"""From the JSON of an object to the values that rules see.

A text whose schema gives it the format of a time, a duration or of bytes is one: ``self.until < timestamp(...)``. What
does not fit its format stays a text, and the rule says that it cannot be answered.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Any

from sidings.api import timestamps
from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.units import FUNCTIONS
from sidings.api.kind import Schema


def _date(text: str) -> datetime:
    return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC)


_READERS: Mapping[str, Callable[[str], Any]] = {
    "date-time": timestamps.from_text,
    "date": _date,
    "duration": FUNCTIONS["duration", 1],
    "byte": base64.b64decode,
}


class _Place:
    """A schema as a key: one and the same, since to compare two would cost more than what is remembered."""

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Place) and self.schema is other.schema


def has_formats(schema: Schema) -> bool:
    """Whether any text below ``schema`` is more than a text to rules."""
    return _has_formats(_Place(schema))


@lru_cache(maxsize=1 << 16)
def _has_formats(place: _Place) -> bool:
    """Remembered: the schema of a pod template has thousands of places, and each create would walk all of them."""
    schema = place.schema
    if schema.get("type") == "string":
        return schema.get("format") in _READERS
    below = [*(schema.get("properties") or {}).values(), schema.get("items"), schema.get("additionalProperties")]
    return any(has_formats(each) for each in below if isinstance(each, Mapping))


def of_json(schema: Schema, value: Any) -> Any:
    """``value``, which fits ``schema``, as rules see it."""
    if not has_formats(schema):
        return value
    if isinstance(value, str):
        return _text(str(schema.get("format") or ""), value) if schema.get("type") == "string" else value
    if isinstance(value, list):
        items = schema.get("items")
        return [of_json(items, item) for item in value] if isinstance(items, Mapping) else value
    if isinstance(value, dict):
        properties, additional = schema.get("properties") or {}, schema.get("additionalProperties")
        rest: Schema = additional if isinstance(additional, Mapping) else {}
        return {name: of_json(properties.get(name, rest), item) for name, item in value.items()}
    return value


def _text(given: str, value: str) -> Any:
    reader = _READERS.get(given)
    if reader is None:
        return value
    try:
        return reader(value)
    except (ValueError, binascii.Error, EvaluationError):
        return value
