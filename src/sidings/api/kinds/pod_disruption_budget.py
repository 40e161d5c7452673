"""PodDisruptionBudget (policy/v1): how many of some pods an eviction must leave. The figures are ``api/disruption``."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from sidings.api import schemas, selector_rules
from sidings.api.fields import FieldError, invalid, not_supported
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import DISRUPTION_BUDGETS

UNHEALTHY_POLICIES = ("AlwaysAllow", "IfHealthyBudget")
NOT_AVAILABLE = "N/A"
_PERCENT = re.compile("[0-9]+%")
_PERCENT_RULE = (
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for "
    "validation is '[0-9]+%')"
)


class BudgetRules(Rules):
    def default_on_create(self, obj: Object) -> None:
        obj["status"] = {"disruptionsAllowed": 0, "currentHealthy": 0, "desiredHealthy": 0, "expectedPods": 0}

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old.get("status") or {}

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        errors = []
        if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
            errors.append(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        for field in ("minAvailable", "maxUnavailable"):
            errors += _amount(f"spec.{field}", spec.get(field))
        if spec.get("selector") is not None:
            errors += selector_rules.errors(spec["selector"], "spec.selector")
        policy = spec.get("unhealthyPodEvictionPolicy")
        if policy is not None and policy not in UNHEALTHY_POLICIES:
            errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, UNHEALTHY_POLICIES))
        return errors


def _amount(path: str, value: int | str | None) -> list[FieldError]:
    """``ValidatePositiveIntOrPercent`` and ``IsNotMoreThan100Percent``."""
    if isinstance(value, int):
        return [invalid(path, value, "must be greater than or equal to 0")] if value < 0 else []
    if isinstance(value, str):
        if not _PERCENT.fullmatch(value):
            return [invalid(path, value, _PERCENT_RULE)]
        if int(value[:-1]) > 100:
            return [invalid(path, value, "must not be greater than 100%")]
    return []


def _either(name: str) -> Callable[[Object, datetime], Any]:
    def cell(obj: Object, now: datetime) -> Any:
        value = (obj.get("spec") or {}).get(name)
        return NOT_AVAILABLE if value is None else str(value)

    return cell


def _allowed(obj: Object, now: datetime) -> Any:
    return (obj.get("status") or {}).get("disruptionsAllowed", 0)


KIND = Kind(
    resource=DISRUPTION_BUDGETS,
    singular="poddisruptionbudget",
    schema=schemas.schema(DISRUPTION_BUDGETS.group, DISRUPTION_BUDGETS.version, DISRUPTION_BUDGETS.kind),
    builtin=True,
    rules=BudgetRules(),
    short_names=("pdb",),
    subresources=frozenset({"status"}),
    spec_fields=("spec",),
    columns=(
        columns.NAME,
        Column("Min Available", cell=_either("minAvailable"), description="How many an eviction must leave."),
        Column("Max Unavailable", cell=_either("maxUnavailable"), description="How many may be missing."),
        Column("Allowed Disruptions", type="integer", cell=_allowed, description="How many may be evicted now."),
        columns.AGE,
    ),
)
