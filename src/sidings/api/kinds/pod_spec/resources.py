"""Rules of a container's ``resources``.

cpu, memory and the like may be overcommitted: a request up to the limit. Everything else (``nvidia.com/gpu``, huge
pages) may not: request and limit are the same whole number, so that a device belongs to one container.
"""

from __future__ import annotations

from sidings.api import quantity
from sidings.api.fields import FieldError, invalid, required
from sidings.api.names import qualified_name
from sidings.api.objects import Object

NATIVE = ("cpu", "memory", "ephemeral-storage")
HUGE_PAGES = "hugepages-"

NO_LIMIT = "Limit must be set for non overcommitable resources"
UNKNOWN = "must be a standard resource type or fully qualified"
NOT_FOR_CONTAINERS = "must be a standard resource for containers"
NOT_EXTENDED = "doesn't follow extended resource name standard"


def may_overcommit(name: str) -> bool:
    """Whether requests of a resource may be smaller than its limit."""
    return _is_native(name) and not name.startswith(HUGE_PAGES)


def validate(resources: Object, path: str) -> list[FieldError]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    errors: list[FieldError] = []
    for field, amounts in (("limits", limits), ("requests", requests)):
        for name, value in amounts.items():
            at = f"{path}.{field}[{name}]"
            errors += [invalid(at, name, message) for message in _name_complaints(name)]
            errors += _validate_amount(name, value, at)
            if field == "requests":
                errors += _validate_request(name, value, limits, path)
    return errors


def _validate_request(name: str, value: str, limits: Object, path: str) -> list[FieldError]:
    limit = limits.get(name)
    if limit is None:
        return [] if may_overcommit(name) else [required(f"{path}.limits", NO_LIMIT)]
    amount, most = quantity.parse(value), quantity.parse(limit)
    text, limit_text = quantity.canonical(value), quantity.canonical(limit)
    if amount != most and not may_overcommit(name):
        return [invalid(f"{path}.requests", text, f"must be equal to {name} limit of {limit_text}")]
    if amount > most:
        return [invalid(f"{path}.requests", text, f"must be less than or equal to {name} limit of {limit_text}")]
    return []


def _validate_amount(name: str, value: str, path: str) -> list[FieldError]:
    amount = quantity.parse(value)
    if amount < 0:
        return [invalid(path, quantity.canonical(value), "must be greater than or equal to 0")]
    if not _is_native(name) and amount != amount.to_integral_value():
        return [invalid(path, quantity.canonical(value), "must be an integer")]
    return []


def _name_complaints(name: str) -> list[str]:
    complaints = qualified_name(name)
    if complaints:
        return complaints
    if "/" not in name:
        if name in NATIVE or name.startswith(HUGE_PAGES):
            return []
        return [UNKNOWN, NOT_FOR_CONTAINERS]
    if not _is_native(name) and (name.startswith("requests.") or qualified_name(f"requests.{name}")):
        return [NOT_EXTENDED]
    return []


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name
