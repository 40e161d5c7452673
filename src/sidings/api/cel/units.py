"""Values that are written as strings: quantities, durations, times, URLs and addresses.

The functions are those of ``k8s.io/apiserver/pkg/cel/library`` (v0.36) and of CEL itself. Each of these types comes
with a question (``isQuantity``), a conversion that fails for anything else (``quantity``) and methods.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, urlsplit

from sidings.api import quantity, timestamps
from sidings.api.cel.errors import EvaluationError

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


def _converted(kind: str, convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def converted(value: Any) -> Any:
        if not isinstance(value, str):
            raise EvaluationError("no such overload")
        try:
            return convert(value)
        except (ValueError, OverflowError, ArithmeticError) as error:
            raise EvaluationError(f"type conversion error from string to {kind}: {error}") from error

    return converted


def _question(convert: Callable[[Any], Any]) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        if not isinstance(value, str):
            raise EvaluationError("no such overload")
        try:
            convert(value)
        except (ValueError, OverflowError, ArithmeticError):
            return False
        return True

    return fits


def _of(type_: Any, apply: Callable[..., Any]) -> Callable[..., Any]:
    """A method of values of ``type_``."""

    def checked(value: Any, *arguments: Any) -> Any:
        if not isinstance(value, type_):
            raise EvaluationError("no such overload")
        return apply(value, *arguments)

    return checked


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


def _as_integer(value: Quantity) -> int:
    if value.amount != value.amount.to_integral_value():
        raise EvaluationError("cannot convert value to integer")
    return int(value.amount)


def _in_units(microseconds: int) -> Callable[..., Any]:
    return _of(timedelta, lambda value: int(value / timedelta(microseconds=microseconds)))


_ADDRESSES, _NETWORKS = (IPv4Address, IPv6Address), (IPv4Network, IPv6Network)


def _network(value: str) -> IPv4Network | IPv6Network:
    if "/" not in value:
        raise ValueError("not a network")
    return ip_network(value, strict=False)


def _holds_address(network: Any, address: Any) -> bool:
    given = FUNCTIONS["ip", 1](address) if isinstance(address, str) else address
    if not isinstance(given, _ADDRESSES):
        raise EvaluationError("no such overload")
    return given in network


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("quantity", 1): _converted("Quantity", _quantity),
    ("isQuantity", 1): _question(_quantity),
    ("isGreaterThan", 2): _amounts(lambda left, right: left > right),
    ("isLessThan", 2): _amounts(lambda left, right: left < right),
    ("compareTo", 2): _amounts(lambda left, right: (left > right) - (left < right)),
    ("add", 2): _amounts(lambda left, right: Quantity(left + right)),
    ("sub", 2): _amounts(lambda left, right: Quantity(left - right)),
    ("sign", 1): _of(Quantity, lambda value: (value.amount > 0) - (value.amount < 0)),
    ("isInteger", 1): _of(Quantity, lambda value: value.amount == value.amount.to_integral_value()),
    ("asInteger", 1): _of(Quantity, _as_integer),
    ("asApproximateFloat", 1): _of(Quantity, lambda value: float(value.amount)),
    ("duration", 1): _converted("duration", _duration),
    ("timestamp", 1): _converted("timestamp", timestamps.from_text),
    ("getHours", 1): _in_units(3_600_000_000),
    ("getMinutes", 1): _in_units(60_000_000),
    ("getSeconds", 1): _in_units(1_000_000),
    ("getMilliseconds", 1): _in_units(1_000),
    ("url", 1): _converted("URL", _url),
    ("isURL", 1): _question(_url),
    ("getScheme", 1): _of(SplitResult, lambda value: value.scheme),
    ("getHost", 1): _of(SplitResult, lambda value: value.netloc.rpartition("@")[2]),
    ("getHostname", 1): _of(SplitResult, lambda value: value.hostname or ""),
    ("getPort", 1): _of(SplitResult, lambda value: str(value.port or "")),
    ("getEscapedPath", 1): _of(SplitResult, lambda value: value.path),
    ("ip", 1): _converted("IP", ip_address),
    ("isIP", 1): _question(ip_address),
    ("family", 1): _of(_ADDRESSES, lambda value: value.version),
    ("isLoopback", 1): _of(_ADDRESSES, lambda value: value.is_loopback),
    ("cidr", 1): _converted("CIDR", _network),
    ("isCIDR", 1): _question(_network),
    ("containsIP", 2): _of(_NETWORKS, _holds_address),
    ("prefixLength", 1): _of(_NETWORKS, lambda value: value.prefixlen),
}
