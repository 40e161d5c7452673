"""The parts of objects that decisions depend on: heartbeats, counters and messages are no news."""

from __future__ import annotations

from typing import Any

from sidings.api import conditions
from sidings.api.objects import Object, is_deleting, labels_of
from sidings.api.resources import ADMISSION_CHECKS, NAMESPACES, NODES, Resource
from sidings.controllers.kueue import workload_status


def of_waiting(workload: Object) -> tuple[Any, ...]:
    """What a waiting Workload is judged by."""
    status = workload.get("status") or {}
    known = status.get("conditions")
    return (
        workload["spec"],
        status.get("reclaimablePods"),
        [conditions.find(known, type_) for type_ in ("Evicted", "Requeued")],
        [check["state"] for check in status.get("admissionChecks") or ()],
    )


def of_holder(workload: Object) -> tuple[Any, ...]:
    """What decisions about others take from a Workload that holds quota."""
    status = workload.get("status") or {}
    ready = conditions.is_true(workload, "PodsReady")
    evicted = workload_status.is_evicted(workload)
    unhealthy = status.get("unhealthyNodes")
    return status.get("admission"), status.get("reclaimablePods"), unhealthy, evicted, ready, workload["spec"]


def of_surrounding(resource: Resource, obj: Object) -> tuple[Any, ...]:
    """That of everything but Workloads and pods."""
    if resource == NODES:
        status = obj.get("status") or {}
        ready = conditions.is_true(obj, "Ready")
        return labels_of(obj), obj.get("spec"), status.get("allocatable"), ready
    if resource == NAMESPACES:
        return (labels_of(obj),)
    return (
        obj.get("spec"),
        is_deleting(obj),
        conditions.is_true(obj, "Active") if resource == ADMISSION_CHECKS else None,
    )
