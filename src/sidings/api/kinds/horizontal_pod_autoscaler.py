"""HorizontalPodAutoscaler (autoscaling/v2): stored and shown, obeyed by nobody here.

An elastic PyTorchJob with metrics owns one, as on a cluster; its status says that nothing scales by metrics.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.fields import FieldError, invalid, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import AUTOSCALERS

_COUNT = {"type": "integer", "format": "int32"}
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_METRICS = {"type": "array", "items": schemas.definition("io.k8s.api.autoscaling.v2.MetricSpec")}
_SPEC = {
    "type": "object",
    "required": ["maxReplicas", "scaleTargetRef"],
    "properties": {
        "scaleTargetRef": schemas.definition("io.k8s.api.autoscaling.v2.CrossVersionObjectReference"),
        "minReplicas": _COUNT,
        "maxReplicas": _COUNT,
        "metrics": _METRICS,
        "behavior": _OPEN,
    },
}


class AutoscalerRules(Rules):
    """Of ``pkg/apis/autoscaling/validation`` (v1.36) what a job's autoscaler can break."""

    def default(self, obj: Object) -> None:
        obj.setdefault("spec", {}).setdefault("minReplicas", 1)

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        low, high = spec.get("minReplicas", 1), spec.get("maxReplicas", 0)
        errors = []
        if low < 1:
            errors.append(invalid("spec.minReplicas", low, "must be greater than or equal to 1"))
        if high < 1:
            errors.append(invalid("spec.maxReplicas", high, "must be greater than 0"))
        if high < low:
            errors.append(invalid("spec.maxReplicas", high, "must be greater than or equal to `minReplicas`"))
        target = spec.get("scaleTargetRef") or {}
        errors += [required(f"spec.scaleTargetRef.{field}") for field in ("kind", "name") if not target.get(field)]
        return errors


def _reference(obj: Object, now: datetime) -> str:
    target = obj["spec"].get("scaleTargetRef") or {}
    return f"{target.get('kind')}/{target.get('name')}"


def _targets(obj: Object, now: datetime) -> str:
    return ", ".join(map(_target, obj["spec"].get("metrics") or ())) or "<none>"


def _target(metric: Object) -> str:
    source: Any = metric.get((metric.get("type") or "")[:1].lower() + (metric.get("type") or "")[1:]) or {}
    target = source.get("target") or {}
    wanted = f"{target['averageUtilization']}%" if "averageUtilization" in target else target.get("averageValue")
    named = f"{source['name']}: " if source.get("name") else ""
    return f"{named}<unknown>/{wanted or target.get('value') or '<auto>'}"


KIND = Kind(
    resource=AUTOSCALERS,
    singular="horizontalpodautoscaler",
    schema=schemas.of_objects({"type": "object", "properties": {"spec": _SPEC, "status": _OPEN}}),
    builtin=True,
    rules=AutoscalerRules(),
    short_names=("hpa",),
    categories=("all",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Reference", cell=_reference),
        Column("Targets", cell=_targets),
        Column("MinPods", cell=lambda obj, now: str(obj["spec"].get("minReplicas", 1))),
        Column("MaxPods", "integer", cell=lambda obj, now: obj["spec"].get("maxReplicas")),
        Column("Replicas", "integer", cell=lambda obj, now: (obj.get("status") or {}).get("currentReplicas") or 0),
        columns.AGE,
    ),
    generation=False,
)
