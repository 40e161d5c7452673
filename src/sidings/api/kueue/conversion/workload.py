"""Workload: a priority class by name and source, domains one by one, and a name with a spelling of its own."""

from __future__ import annotations

from typing import Any

from sidings.api.kueue import topology_assignment
from sidings.api.objects import Object

SOURCES = {
    "kueue.x-k8s.io/workloadpriorityclass": ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    "scheduling.k8s.io/priorityclass": ("scheduling.k8s.io", "PriorityClass"),
}
"""``priorityClassSource`` -> (group, kind) of ``priorityClassRef``."""
_SOURCE_OF = {reference: source for source, reference in SOURCES.items()}

PAST, PAST_OLDER = "accumulatedPastExecutionTimeSeconds", "accumulatedPastExexcutionTimeSeconds"
ONLY_STORED = "preemptionGates"
SLICES = "podsetSliceRequiredTopologyConstraints"


def to_stored(obj: Object) -> Object:
    converted = dict(obj)
    if isinstance(spec := obj.get("spec"), dict):
        spec = dict(spec)
        name, source = spec.pop("priorityClassName", None), spec.pop("priorityClassSource", None)
        if name and source in SOURCES:
            group, kind = SOURCES[source]
            spec["priorityClassRef"] = {"group": group, "kind": kind, "name": name}
        converted["spec"] = spec
    if isinstance(status := obj.get("status"), dict):
        converted["status"] = _status(status, {PAST_OLDER: PAST}, _compact)
    return converted


def from_stored(obj: Object) -> Object:
    converted = dict(obj)
    if isinstance(spec := obj.get("spec"), dict):
        spec = {key: value for key, value in spec.items() if key != ONLY_STORED}
        if reference := spec.pop("priorityClassRef", None):
            spec["priorityClassName"] = reference["name"]
            spec["priorityClassSource"] = _SOURCE_OF[reference["group"], reference["kind"]]
        if "podSets" in spec:
            spec["podSets"] = [_older_pod_set(pod_set) for pod_set in spec["podSets"]]
        converted["spec"] = spec
    if isinstance(status := obj.get("status"), dict):
        converted["status"] = _status(status, {PAST: PAST_OLDER}, _spelt_out)
    return converted


def _older_pod_set(pod_set: Object) -> Object:
    request = pod_set.get("topologyRequest")
    if not request or SLICES not in request:
        return pod_set
    return {**pod_set, "topologyRequest": {key: value for key, value in request.items() if key != SLICES}}


def _status(status: Object, names: dict[str, str], placement: Any) -> Object:
    converted = {names.get(key, key): value for key, value in status.items()}
    admission = converted.get("admission")
    if isinstance(admission, dict) and admission.get("podSetAssignments"):
        parts = [_placed(entry, placement) for entry in admission["podSetAssignments"]]
        converted["admission"] = {**admission, "podSetAssignments": parts}
    return converted


def _placed(entry: Object, placement: Any) -> Object:
    assignment = entry.get("topologyAssignment")
    return {**entry, "topologyAssignment": placement(assignment)} if assignment else entry


def _compact(assignment: Object) -> Object:
    domains = tuple((tuple(domain["values"]), domain["count"]) for domain in assignment["domains"])
    return topology_assignment.encode(topology_assignment.Placement(tuple(assignment["levels"]), domains))


def _spelt_out(assignment: Object) -> Object:
    placement = topology_assignment.decode(assignment)
    domains = [{"values": list(values), "count": count} for values, count in placement.domains]
    return {"levels": list(placement.levels), "domains": domains}
