"""ResourceQuota: how much there may be in a namespace. What counts for how much is ``api/quota``."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import RESOURCE_QUOTAS


class QuotaRules(Rules):
    def default(self, obj: Object) -> None:
        obj.setdefault("status", {})

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]


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
