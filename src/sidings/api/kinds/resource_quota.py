"""ResourceQuota: how much there may be in a namespace. What counts for how much is ``api/quota``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sidings.api import names, quantity, quota, schemas
from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import RESOURCE_QUOTAS

SCOPES = (
    "BestEffort", "CrossNamespacePodAffinity", "NotBestEffort", "NotTerminating", "PriorityClass", "Terminating",
    "VolumeAttributesClass",
)  # fmt: skip
CONFLICTING = (("Terminating", "NotTerminating"), ("BestEffort", "NotBestEffort"))


class QuotaRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("status", {})

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]

    def validate(self, obj: Object) -> list[FieldError]:
        """``ValidateResourceQuotaSpec`` (v1.36)."""
        spec = obj.get("spec") or {}
        errors: list[FieldError] = []
        for name, value in (spec.get("hard") or {}).items():
            errors += _hard(name, value)
        scopes = spec.get("scopes") or []
        if unknown := [scope for scope in scopes if scope not in SCOPES]:
            errors.append(invalid("spec.scopes", unknown[0], "unsupported scope"))
        if any(set(pair) <= set(scopes) for pair in CONFLICTING):
            errors.append(invalid("spec.scopes", scopes, "conflicting scopes"))
        return errors


def _hard(name: str, value: Any) -> list[FieldError]:
    path = f"spec.hard[{name}]"
    errors = [invalid(path, name, text) for text in names.qualified_name(name)]
    if not errors and "/" not in name and not quota.is_known(name):
        errors.append(invalid(path, name, "must be a standard resource type or fully qualified"))
        errors.append(invalid(path, name, "must be a standard resource for quotas"))
    amount = quantity.parse(value)
    if amount < 0:
        errors.append(invalid(path, value, "must be greater than or equal to 0"))
    elif quota.is_count(name) and amount != amount.to_integral_value():
        errors.append(invalid(path, value, "must be an integer"))
    return errors


def _usage(limits: bool) -> Callable[[Object, datetime], Any]:
    """``used/hard`` of the limits, or of everything else, sorted by name."""

    def cell(obj: Object, now: datetime) -> Any:
        status = obj.get("status") or {}
        hard, used = status.get("hard") or {}, status.get("used") or {}
        names = [name for name in sorted(hard) if name.startswith("limits.") == limits]
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)

    return cell


KIND = Kind(
    resource=RESOURCE_QUOTAS,
    singular="resourcequota",
    schema=schemas.schema(RESOURCE_QUOTAS.group, RESOURCE_QUOTAS.version, RESOURCE_QUOTAS.kind),
    builtin=True,
    rules=QuotaRules(),
    short_names=("quota",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Request", cell=_usage(limits=False), description="Requests and counts: used and allowed."),
        Column("Limit", cell=_usage(limits=True), description="Limits: used and allowed."),
        columns.AGE,
    ),
    generation=False,
)
