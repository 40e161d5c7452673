"""Amounts such as ``500m``, ``1Gi`` or ``2e3``: exact arithmetic, and the one spelling that Go prints.

The rules are those of ``k8s.io/apimachinery/pkg/api/resource`` (v0.36). A quantity has a value and a *family* of
suffixes; the canonical text keeps the family and takes the largest suffix that leaves no fraction. Nothing below 1n
exists: values are rounded away from zero. A JSON number is a quantity as well.
"""

from __future__ import annotations

import re
from decimal import ROUND_UP, Decimal, localcontext
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

Value: TypeAlias = "str | int | float | Decimal"
"""A quantity as it comes from JSON, or an exact amount."""

FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
SUFFIX = "unable to parse quantity's suffix"

_DIGITS = 60
"""Working precision: more than any sum of int64 amounts at 1n needs."""


class _Family(Enum):
    DECIMAL = "decimal"
    BINARY = "binary"
    EXPONENT = "exponent"


_DECIMAL_SUFFIXES = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_BY_EXPONENT = {exponent: suffix for suffix, exponent in _DECIMAL_SUFFIXES.items()}
_BINARY_SUFFIXES = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_BINARY_NAMES = ["", *_BINARY_SUFFIXES]
_SHAPE = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_NANO = Decimal(1).scaleb(-9)


def parse(value: Value) -> Decimal:
    """The exact amount. Raises ``ValueError`` with upstream's message for anything that is no quantity."""
    return _read(_text(value))[0]


def canonical(value: Value) -> str:
    """The text Go stores and prints: ``1000m`` is ``1``, ``0.5`` is ``500m``, ``1024Mi`` is ``1Gi``."""
    return _canonical(_text(value))


def binary(amount: int) -> str:
    """The text of a number of bytes in the binary family: 536870912 is ``512Mi``."""
    return _write(Decimal(amount), _Family.BINARY)


def units(value: Value) -> int:
    """The amount in whole units, rounded away from zero: bytes, devices, pods."""
    return _whole(parse(value))


def add(left: Value, right: Value) -> str:
    """The canonical sum; the suffix family is the left one's, unless the left one is zero."""
    (a, family), (b, other) = _read(_text(left)), _read(_text(right))
    with localcontext() as context:
        context.prec = _DIGITS
        return _write(a + b, family if a else other)


def _text(value: Value) -> str:
    if isinstance(value, bool):
        raise ValueError(FORMAT_WRONG)
    return value if isinstance(value, str) else str(value)


def _whole(amount: Decimal) -> int:
    return int(amount.to_integral_value(ROUND_UP))


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Decimal, _Family]:
    match = _SHAPE.fullmatch(text)
    if not text or match is None:
        raise ValueError(FORMAT_WRONG)
    sign, whole, fraction, suffix = match.groups()
    base, exponent, family = _interpret(suffix)
    try:
        with localcontext() as context:
            context.prec = _DIGITS
            amount = Decimal(f"{sign}{whole or '0'}.{fraction or '0'}")
            amount = amount.scaleb(exponent) if base == 10 else amount * (Decimal(2) ** exponent)
            # Only what is finer than that: bringing 1e308 to nanos would need more digits than there are.
            if amount != amount.to_integral_value():
                rounded = amount.quantize(_NANO, ROUND_UP)
                amount = amount if amount == rounded else rounded
    except ArithmeticError as error:
        raise ValueError(FORMAT_WRONG) from error
    return amount, family


def _interpret(suffix: str) -> tuple[int, int, _Family]:
    """(base, exponent, family) of a suffix."""
    if suffix in _DECIMAL_SUFFIXES:
        return 10, _DECIMAL_SUFFIXES[suffix], _Family.DECIMAL
    if suffix in _BINARY_SUFFIXES:
        return 2, _BINARY_SUFFIXES[suffix], _Family.BINARY
    exponent = _EXPONENT.fullmatch(suffix)
    if exponent is None:
        raise ValueError(SUFFIX)
    return 10, int(exponent[1]), _Family.EXPONENT


@lru_cache(maxsize=4096)
def _canonical(text: str) -> str:
    return _write(*_read(text))


def _write(amount: Decimal, family: _Family) -> str:
    if not amount:
        return "0"
    if family is _Family.BINARY and abs(amount) >= 1024 and amount == amount.to_integral_value():
        return _write_binary(int(amount))
    mantissa, exponent = _thousands(amount)
    if family is _Family.EXPONENT:
        return f"{mantissa}e{exponent}" if exponent else str(mantissa)
    largest = min(exponent, max(_DECIMAL_BY_EXPONENT))
    return f"{mantissa * 10 ** (exponent - largest)}{_DECIMAL_BY_EXPONENT[largest]}"


def _thousands(amount: Decimal) -> tuple[int, int]:
    """(mantissa, exponent) with the largest exponent divisible by 3 that keeps the mantissa whole."""
    sign, digits, exponent = amount.as_tuple()
    assert isinstance(exponent, int)
    mantissa = int("".join(map(str, digits)))
    while mantissa % 10 == 0:
        mantissa //= 10
        exponent += 1
    mantissa *= 10 ** (exponent % 3)
    exponent -= exponent % 3
    return (-mantissa if sign else mantissa), exponent


def _write_binary(amount: int) -> str:
    power = 0
    while amount % 1024 == 0 and power < len(_BINARY_NAMES) - 1:
        amount //= 1024
        power += 1
    return f"{amount}{_BINARY_NAMES[power]}"
