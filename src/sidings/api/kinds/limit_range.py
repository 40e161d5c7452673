"""LimitRange: what containers get and what they may ask for. What it means is ``api/limit_range``."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import quantity, schemas
from sidings.api.fields import FieldError, duplicate, forbidden, invalid, required
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

    def validate(self, obj: Object) -> list[FieldError]:
        """``ValidateLimitRange`` (v1.36)."""
        errors: list[FieldError] = []
        seen: set[str] = set()
        for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
            path, type_ = f"spec.limits[{index}]", item.get("type") or ""
            if type_ in seen:
                errors.append(duplicate(f"{path}.type", type_))
            seen.add(type_)
            errors += _item(item, type_, path)
        return errors


def _item(item: Object, type_: str, path: str) -> Iterator[FieldError]:
    low, high, preset, wanted, ratio = (
        item.get(field) or {} for field in ("min", "max", "default", "defaultRequest", "maxLimitRequestRatio")
    )
    if type_ == "Pod":
        for field, given in (("default", preset), ("defaultRequest", wanted)):
            if given:
                yield forbidden(f"{path}.{field}", "may not be specified when `type` is 'Pod'")
        preset = wanted = {}
    if type_ == "PersistentVolumeClaim" and "storage" not in low and "storage" not in high:
        detail = "either minimum or maximum storage value is required, but neither was provided"
        yield required(f"{path}.limits", detail)
    pairs = (
        ("min", low, "min value", high, "max value"),
        ("defaultRequest", wanted, "default request value", high, "max value"),
        ("defaultRequest", wanted, "default request value", preset, "default limit value"),
        ("default", preset, "default value", high, "max value"),
    )
    for name in sorted({*low, *high, *preset, *wanted}):
        for field, smaller, what, larger, than in pairs:
            if name in smaller and name in larger and quantity.parse(smaller[name]) > quantity.parse(larger[name]):
                detail = f"{what} {smaller[name]} is greater than {than} {larger[name]}"
                yield invalid(f"{path}.{field}[{name}]", smaller[name], detail)
        for field, larger, what in (
            ("defaultRequest", wanted, "default request value"),
            ("default", preset, "default value"),
        ):
            if name in low and name in larger and quantity.parse(low[name]) > quantity.parse(larger[name]):
                detail = f"min value {low[name]} is greater than {what} {larger[name]}"
                yield invalid(f"{path}.{field}[{name}]", low[name], detail)
    for name, value in ratio.items():
        if quantity.parse(value) < 1:
            yield invalid(f"{path}.maxLimitRequestRatio[{name}]", value, f"ratio {value} is less than 1")


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
