"""Values that are written as strings: quantities, durations, times and URLs.

The functions are those of ``k8s.io/apiserver/pkg/cel/library`` (v0.36) and of CEL itself. Each of these types comes
with a question (``isQuantity``), a conversion that fails for anything else (``quantity``) and methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit

from sidings.api import quantity, timestamps
from sidings.api.cel.conversions import conversion, method_of, question
from sidings.api.cel.errors import EvaluationError
from sidings.api.cel.semver import Version

_DURATION = re.compile(r"[+-]?(?:0|(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|µs|ns))+")
_PART = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)")
_MICROSECONDS = {"h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1_000, "us": 1, "µs": 1, "ns": 0.001}


@dataclass(frozen=True)
class Quantity:
    """An amount such as ``500m``; ``1Gi`` and ``1024Mi`` are equal."""

    amount: Decimal

    def __str__(self) -> str:
        return quantity.canonical(self.amount)


def _quantity(value: str) -> Quantity:
    return Quantity(quantity.parse(value))


def _duration(value: str) -> timedelta:
    if not _DURATION.fullmatch(value):
        raise ValueError("not a duration")
    total = sum(float(number) * _MICROSECONDS[unit] for number, unit in _PART.findall(value))
    return timedelta(microseconds=-total if value.startswith("-") else total)


def _url(value: str) -> SplitResult:
    found = urlsplit(value)
    if not found.scheme and not found.path.startswith("/"):
        raise ValueError("neither an absolute URL nor an absolute path")
    return found


def _amounts(apply: Callable[[Decimal, Decimal], Any]) -> Callable[..., Any]:
    def checked(left: Any, right: Any) -> Any:
        if not isinstance(left, Quantity):
            raise EvaluationError("no such overload")
        if isinstance(right, Quantity):
            return apply(left.amount, right.amount)
        if not isinstance(right, int):
            raise EvaluationError("no such overload")
        return apply(left.amount, Decimal(right))

    return checked


def _compared(apply: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Of quantities with quantities, and of versions with versions."""

    def checked(left: Any, right: Any) -> Any:
        if isinstance(left, Quantity) and isinstance(right, Quantity):
            return apply(left.amount, right.amount)
        if isinstance(left, Version) and isinstance(right, Version):
            return apply(left, right)
        raise EvaluationError("no such overload")

    return checked


def _as_integer(value: Quantity) -> int:
    if value.amount != value.amount.to_integral_value():
        raise EvaluationError("cannot convert value to integer")
    return int(value.amount)


_read_time = conversion("timestamp", timestamps.from_text, datetime)


def _time(value: Any) -> datetime:
    """A number counts seconds from 1970."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    found: datetime = datetime.fromtimestamp(value, UTC) if is_number else _read_time(value)
    return found


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("quantity", 1): conversion("Quantity", _quantity),
    ("isQuantity", 1): question(_quantity),
    ("isGreaterThan", 2): _compared(lambda left, right: left > right),
    ("isLessThan", 2): _compared(lambda left, right: left < right),
    ("compareTo", 2): _compared(lambda left, right: (left > right) - (left < right)),
    ("add", 2): _amounts(lambda left, right: Quantity(left + right)),
    ("sub", 2): _amounts(lambda left, right: Quantity(left - right)),
    ("sign", 1): method_of(Quantity, lambda value: (value.amount > 0) - (value.amount < 0)),
    ("isInteger", 1): method_of(Quantity, lambda value: value.amount == value.amount.to_integral_value()),
    ("asInteger", 1): method_of(Quantity, _as_integer),
    ("asApproximateFloat", 1): method_of(Quantity, lambda value: float(value.amount)),
    ("duration", 1): conversion("duration", _duration, timedelta),
    ("timestamp", 1): _time,
    ("url", 1): conversion("URL", _url),
    ("isURL", 1): question(_url),
    ("getScheme", 1): method_of(SplitResult, lambda value: value.scheme),
    ("getHost", 1): method_of(SplitResult, lambda value: value.netloc.rpartition("@")[2]),
    ("getHostname", 1): method_of(SplitResult, lambda value: value.hostname or ""),
    ("getPort", 1): method_of(SplitResult, lambda value: str(value.port or "")),
    ("getQuery", 1): method_of(SplitResult, lambda value: parse_qs(value.query, keep_blank_values=True)),
    ("getEscapedPath", 1): method_of(SplitResult, lambda value: value.path),
}
