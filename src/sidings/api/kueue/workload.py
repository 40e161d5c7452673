"""Workload: what the webhook ``vworkload.kb.io`` refuses (pkg/webhooks/workload_webhook.go, Kueue v0.19).

Which fields stand still while quota is reserved is for the most part said by the schema; what compares lists is here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidings.api import names, quantity
from sidings.api.conditions import is_true
from sidings.api.fields import FieldError, invalid, not_found, not_supported, required
from sidings.api.objects import Object

QUOTA_RESERVED = "QuotaReserved"
IMMUTABLE = "field is immutable"
RESERVED_KEY = "the key is reserved for internal kueue use"
ONE_PARTIAL = "at most one podSet can use minCount"


def errors(obj: Object) -> Iterator[FieldError]:
    """The refusals of a Workload as such."""
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    pod_sets = spec.get("podSets") or []
    for index, pod_set in enumerate(pod_sets):
        yield from _reserved_keys(pod_set["template"].get("spec") or {}, f"spec.podSets[{index}].template.spec")
    partial = sum(pod_set.get("minCount") is not None for pod_set in pod_sets)
    if partial > 1:
        yield invalid("spec.podSets", partial, ONE_PARTIAL)
    if is_true(obj, QUOTA_RESERVED):
        yield from _admission(status.get("admission") or {}, {pod_set["name"] for pod_set in pod_sets})
    yield from _reclaimable(status.get("reclaimablePods") or (), pod_sets)
    for index, check in enumerate(status.get("admissionChecks") or ()):
        path = f"status.admissionChecks[{index}].podSetUpdates"
        yield from _updates(check.get("podSetUpdates") or (), {pod_set["name"] for pod_set in pod_sets}, path)


def update_errors(new: Object, old: Object) -> Iterator[FieldError]:
    """The refusals of the step from ``old`` to ``new``, beyond :func:`errors` of ``new``."""
    reserved = is_true(old, QUOTA_RESERVED)
    before, after = old.get("status") or {}, new.get("status") or {}
    if reserved and new["spec"].get("podSets") != old["spec"].get("podSets"):
        yield invalid("spec.podSets", new["spec"].get("podSets"), IMMUTABLE)
    if reserved and is_true(new, QUOTA_RESERVED):
        yield from _reclaimable_update(after.get("reclaimablePods") or (), before.get("reclaimablePods") or ())
    if before.get("admission") and after.get("admission") and not _same_admission(before, after):
        yield invalid("status.admission", after["admission"], IMMUTABLE)
    known = {check["name"]: check for check in after.get("admissionChecks") or ()}
    for index, check in enumerate(before.get("admissionChecks") or ()):
        again = known.get(check["name"]) or {}
        ready = check["state"] == again.get("state") == "Ready"
        if ready and again.get("podSetUpdates") != check.get("podSetUpdates"):
            path = f"status.admissionChecks[{index}].podSetUpdates"
            yield invalid(path, again.get("podSetUpdates"), IMMUTABLE)


def _reserved_keys(pod_spec: Object, path: str) -> Iterator[FieldError]:
    """``pods`` is counted by Kueue itself."""
    for kind in ("initContainers", "containers"):
        for index, container in enumerate(pod_spec.get(kind) or ()):
            if "pods" in ((container.get("resources") or {}).get("requests") or {}):
                yield invalid(f"{path}.{kind}[{index}].resources.requests[pods]", "pods", RESERVED_KEY)


def _admission(admission: Object, pod_sets: set[str]) -> Iterator[FieldError]:
    for index, entry in enumerate(admission.get("podSetAssignments") or ()):
        path = f"status.admission.podSetAssignments[{index}]"
        if entry["name"] not in pod_sets:
            yield not_found(f"{path}.name", entry["name"])
        count = entry.get("count") or 0
        for resource, amount in (entry.get("resourceUsage") or {}).items():
            value = quantity.parse(amount) * (1000 if resource == "cpu" else 1)
            if count and value % count:
                yield invalid(f"{path}.resourceUsage[{resource}]", str(amount), f"is not a multiple of {count}")


def _same_admission(before: Object, after: Object) -> bool:
    """Whether nothing changed but that a topology assignment was filled in, or is replaced for failed nodes."""
    return _without_placement(before["admission"]) == _without_placement(after["admission"])


def _without_placement(admission: Object) -> Object:
    parts = [
        {key: value for key, value in entry.items() if key not in ("topologyAssignment", "delayedTopologyRequest")}
        for entry in admission.get("podSetAssignments") or ()
    ]
    return {**admission, "podSetAssignments": parts}


def _reclaimable(entries: Any, pod_sets: list[Object]) -> Iterator[FieldError]:
    counts = {pod_set["name"]: pod_set["count"] for pod_set in pod_sets}
    for entry in entries:
        path = f"status.reclaimablePods[{entry['name']}]"
        if entry["name"] not in counts:
            yield not_supported(f"{path}.name", entry["name"], list(counts))
        elif entry["count"] > counts[entry["name"]]:
            yield invalid(f"{path}.count", entry["count"], f"should be less or equal to {counts[entry['name']]}")


def _reclaimable_update(new: Any, old: Any) -> Iterator[FieldError]:
    """What was given back is not taken again."""
    now = {entry["name"]: entry["count"] for entry in new}
    for entry in old:
        name, least = entry["name"], entry["count"]
        if name not in now:
            yield required(f"status.reclaimablePods[{name}]", "cannot be removed")
        elif now[name] < least:
            yield invalid(f"status.reclaimablePods[{name}].count", now[name], f"cannot be less then {least}")


def _updates(updates: Any, pod_sets: set[str], path: str) -> Iterator[FieldError]:
    for index, update in enumerate(updates):
        where = f"{path}[{index}]"
        if update["name"] not in pod_sets:
            yield not_supported(f"{where}.name", update["name"], sorted(pod_sets))
        for toleration in update.get("tolerations") or ():
            if toleration.get("key"):
                for complaint in names.qualified_name(toleration["key"]):
                    yield invalid(f"{where}.tolerations", toleration["key"], complaint)
        for field in ("nodeSelector", "labels"):
            for key, value in (update.get(field) or {}).items():
                for complaint in [*names.qualified_name(key), *names.label_value(value)]:
                    yield invalid(f"{where}.{field}", key, complaint)
