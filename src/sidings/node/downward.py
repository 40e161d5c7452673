"""The downward API: what a container may learn about its pod, as environment variable or file. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from sidings.api import quantity
from sidings.api.objects import Object, annotations_of, labels_of
from sidings.node.errors import ConfigMissing

_SUBSCRIPT = re.compile(r"^metadata\.(labels|annotations)\['([^']+)'\]$")


def field_value(pod: Object, path: str, addresses: Mapping[str, str]) -> str:
    """The value of a ``fieldRef``; ``addresses`` holds those of the status, not written yet."""
    if path in addresses:
        return addresses[path]
    if match := _SUBSCRIPT.match(path):
        found = labels_of(pod) if match[1] == "labels" else annotations_of(pod)
        return found.get(match[2], "")
    if path == "metadata.labels":
        return _lines(labels_of(pod))
    if path == "metadata.annotations":
        return _lines(annotations_of(pod))
    value: Any = pod
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if value is None and path not in ("spec.serviceAccountName", "spec.nodeName"):
        raise ConfigMissing(f"field path {path!r} is not supported by the downward API")
    return str(value or "")


def resource_value(container: Object, reference: Mapping[str, Any], allocatable: Mapping[str, str]) -> str:
    """The value of a ``resourceFieldRef``: in units of the divisor, rounded up; an absent limit is the node's all."""
    kind, _, name = str(reference["resource"]).partition(".")
    resources = container.get("resources") or {}
    amount = (resources.get(kind) or {}).get(name)
    if amount is None and kind == "limits":
        amount = allocatable.get(name)
    divisor = quantity.parse(reference.get("divisor") or "1") or Decimal(1)
    return str(math.ceil(quantity.parse(amount or "0") / divisor))


def _lines(found: Mapping[str, str]) -> str:
    return "\n".join(f"{key}={_quoted(value)}" for key, value in sorted(found.items()))


def _quoted(value: str) -> str:
    """As Go's %q quotes text."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r") + '"'
