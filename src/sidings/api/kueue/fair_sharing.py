"""``spec.fairSharing`` of queues and cohorts: a weight is 0 or large enough to divide by."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from sidings.api import quantity
from sidings.api.fields import FieldError, invalid
from sidings.api.kueue.resource_groups import NEGATIVE
from sidings.api.objects import Object

SMALLEST = Decimal("1e-9")
TOO_SMALL = "When not 0, Weight must be greater than 10^-9"


def errors(spec: Object) -> Iterator[FieldError]:
    """What the webhooks refuse of ``spec``."""
    weight = (spec.get("fairSharing") or {}).get("weight")
    if weight is None:
        return
    amount = quantity.parse(weight)
    if amount < 0:
        yield invalid("spec.fairSharing.weight", str(weight), NEGATIVE)
    elif 0 < amount <= SMALLEST:
        yield invalid("spec.fairSharing.weight", str(weight), TOO_SMALL)
