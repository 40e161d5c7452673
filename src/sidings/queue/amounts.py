"""Amounts of resources as the queue counts them: whole numbers, CPU in thousandths.

Quota arithmetic is done millions of times, so quantities become integers once, when an object is read, and text only
in messages. A *flavor-resource* is the pair that a quota is declared for.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_UP, Decimal

from sidings.api import quantity

FlavorResource = tuple[str, str]
"""(flavor, resource)."""

Usage = dict[FlavorResource, int]

PODS = "pods"
_BINARY = ("memory", "ephemeral-storage")


def whole(resource: str, value: quantity.Value) -> int:
    """The amount of ``resource`` in its unit, rounded up: thousandths of a CPU, bytes, pieces."""
    amount = quantity.parse(value)
    if resource == "cpu":
        amount *= 1000
    return int(amount.to_integral_value(ROUND_UP))


def text(resource: str, amount: int) -> str:
    """``1500`` of cpu is ``1500m``, ``536870912`` of memory ``512Mi``."""
    if resource == "cpu":
        return quantity.canonical(Decimal(amount) / 1000)
    if resource in _BINARY or resource.startswith("hugepages-"):
        return quantity.binary(amount)
    return quantity.canonical(amount)


def in_units(resource: str, amount: float) -> float:
    """The amount in whole CPUs, bytes or pieces, where it is arithmetic no more but a figure."""
    return amount / 1000 if resource == "cpu" else float(amount)


def add(total: Usage, more: Mapping[FlavorResource, int]) -> None:
    """Adds ``more`` to ``total`` in place."""
    for key, amount in more.items():
        total[key] = total.get(key, 0) + amount
