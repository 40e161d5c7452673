"""The downward API: what a container may learn about its pod, as environment variable or file. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sidings.api import field_path, quantity
from sidings.api.objects import Object
from sidings.node.errors import ConfigMissing


def field_value(pod: Object, path: str, addresses: Mapping[str, str]) -> str:
    """The value of a ``fieldRef``; ``addresses`` holds those of the status, not written yet."""
    if path in addresses:
        return addresses[path]
    try:
        return field_path.value(pod, path)
    except ValueError as error:
        raise ConfigMissing(f"field path {path!r} is not supported by the downward API") from error


def resource_value(container: Object, reference: Mapping[str, Any], allocatable: Mapping[str, str]) -> str:
    """The value of a ``resourceFieldRef``: in units of the divisor, rounded up; an absent limit is the node's all."""
    kind, _, name = str(reference["resource"]).partition(".")
    resources = container.get("resources") or {}
    amount = (resources.get(kind) or {}).get(name)
    if amount is None and kind == "limits":
        amount = allocatable.get(name)
    divisor = quantity.parse(reference.get("divisor") or "1") or Decimal(1)
    return str(math.ceil(quantity.parse(amount or "0") / divisor))
