"""LimitRange: what containers get and what they may ask for. What it means is ``api/limit_range``."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import LIMIT_RANGES


class LimitRangeRules(Rules):
    def default(self, obj: Object) -> None:
        """Containers get the maximum as their limit, and as their request the limit or else the minimum."""
        for item in (obj.get("spec") or {}).get("limits") or ():
            if item.get("type") != "Container":
                continue
            limits = {**(item.get("max") or {}), **(item.get("default") or {})}
            requests = {**(item.get("min") or {}), **limits, **(item.get("defaultRequest") or {})}
            if limits:
                item["default"] = limits
            if requests:
                item["defaultRequest"] = requests


KIND = Kind(
    resource=LIMIT_RANGES,
    singular="limitrange",
    schema=schemas.schema(LIMIT_RANGES.group, LIMIT_RANGES.version, LIMIT_RANGES.kind),
    builtin=True,
    rules=LimitRangeRules(),
    short_names=("limits",),
    columns=(
        columns.NAME,
        Column("Created At", json_path=".metadata.creationTimestamp", description="When it was created."),
    ),
    generation=False,
)
