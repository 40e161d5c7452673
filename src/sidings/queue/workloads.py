"""A Workload as the scheduler sees it: shapes as integers, its place in the order, and what it holds.

Reading an object happens once, when it changes; a cycle only looks at these. Flavors and usage of an admission are
per pod set, as in ``status.admission.podSetAssignments``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from sidings.api import conditions, pod_resources, timestamps
from sidings.api.kueue import topology_assignment
from sidings.api.objects import Object, labels_of
from sidings.queue import amounts, resource_limits
from sidings.queue.amounts import FlavorResource, Usage
from sidings.queue.topology.request import TopologyRequest

JOB_UID_LABEL = "kueue.x-k8s.io/job-uid"


@dataclass(frozen=True)
class PodSet:
    """``requests`` are those of one pod; ``count`` leaves out reclaimable pods."""

    name: str
    count: int
    min_count: int | None
    requests: Mapping[str, int]
    pod_spec: Object = field(compare=False)
    topology: TopologyRequest | None


@dataclass(frozen=True)
class PodSetAdmission:
    """What one pod set holds. ``placement`` maps the values of a topology domain to its pods."""

    name: str
    count: int
    flavors: Mapping[str, str]
    usage: Mapping[str, int]
    placement: topology_assignment.Placement | None = None


@dataclass(frozen=True)
class Admission:
    cluster_queue: str
    pod_sets: tuple[PodSetAdmission, ...]

    @cached_property
    def usage(self) -> Usage:
        """What it takes of each flavor-resource; not to be changed."""
        total: Usage = {}
        for pod_set in self.pod_sets:
            for resource, flavor in pod_set.flavors.items():
                key: FlavorResource = (flavor, resource)
                total[key] = total.get(key, 0) + pod_set.usage.get(resource, 0)
        return total


@dataclass(frozen=True)
class Workload:
    """``queued_at`` is the time that orders it in its queue, ``reserved_at`` that of its quota reservation."""

    namespace: str
    name: str
    uid: str
    job_uid: str
    local_queue: str
    priority: int
    queued_at: datetime
    pod_sets: tuple[PodSet, ...]
    admission: Admission | None = None
    reserved_at: datetime | None = None
    evicted: bool = False
    unhealthy_nodes: tuple[str, ...] = ()
    """Nodes that have failed under its pods."""
    checks_failed: bool = False
    """Whether an AdmissionCheck has rejected it or asks for a retry."""
    invalid: str = ""
    """Why its resources are refused in any namespace; empty if they are not."""
    templates: Sequence[Mapping[str, Any]] = field(default=(), compare=False, repr=False)
    """``spec.podSets`` as they are, for the LimitRanges of the namespace."""

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"


def held(workload: Workload) -> Admission:
    """The admission of a workload that must have one."""
    assert workload.admission is not None, f"{workload.key} holds no quota"
    return workload.admission


def of_object(obj: Object) -> Workload:
    """The view of a Workload of either version's storage form (v1beta2)."""
    metadata, spec, status = obj["metadata"], obj["spec"], obj.get("status") or {}
    reserved = conditions.find(status.get("conditions"), "QuotaReserved")
    reclaimable = {entry["name"]: entry["count"] for entry in status.get("reclaimablePods") or ()}
    pod_sets = tuple(_pod_set(entry, reclaimable) for entry in spec["podSets"])
    admission = status.get("admission")
    return Workload(
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        job_uid=labels_of(obj).get(JOB_UID_LABEL, ""),
        local_queue=spec.get("queueName") or "",
        priority=spec.get("priority") or 0,
        queued_at=queue_time(obj),
        pod_sets=pod_sets,
        admission=_admission(admission, {e["name"]: e["count"] for e in spec["podSets"]}, reclaimable)
        if admission
        else None,
        reserved_at=timestamps.from_text(reserved["lastTransitionTime"]) if admission and reserved else None,
        evicted=conditions.is_true(obj, "Evicted"),
        unhealthy_nodes=tuple(node["name"] for node in status.get("unhealthyNodes") or ()),
        checks_failed=any(c["state"] in ("Retry", "Rejected") for c in status.get("admissionChecks") or ()),
        invalid=resource_limits.over_limits(spec["podSets"]),
        templates=spec["podSets"],
    )


def queue_time(obj: Object) -> datetime:
    """When it took its place in the queue: its creation, or the eviction that costs it that place.

    A preempted workload keeps its place; one whose pods were not ready in time, or whose checks ask for a retry, goes
    behind those that came meanwhile (``requeuingStrategy.timestamp: Eviction``, the default).
    """
    evicted = conditions.find((obj.get("status") or {}).get("conditions"), "Evicted")
    if evicted and evicted["status"] == "True" and evicted.get("reason") in ("PodsReadyTimeout", "AdmissionCheck"):
        return timestamps.from_text(evicted["lastTransitionTime"])
    return timestamps.from_text(obj["metadata"]["creationTimestamp"])


def _pod_set(entry: Mapping[str, Any], reclaimable: Mapping[str, int]) -> PodSet:
    pod_spec = entry["template"]["spec"]
    requests = {name: amounts.whole(name, amount) for name, amount in pod_resources.of_spec(pod_spec).items()}
    return PodSet(
        name=entry["name"],
        count=entry["count"] - reclaimable.get(entry["name"], 0),
        min_count=entry.get("minCount"),
        requests=requests,
        pod_spec=pod_spec,
        topology=TopologyRequest.of_object(entry.get("topologyRequest")),
    )


def _admission(admission: Mapping[str, Any], counts: Mapping[str, int], reclaimable: Mapping[str, int]) -> Admission:
    """What is held: of pods that are done nothing any more, be they done before the admission or since."""
    return Admission(
        admission["clusterQueue"],
        tuple(
            _pod_set_admission(entry, counts.get(entry["name"], 0), reclaimable.get(entry["name"], 0))
            for entry in admission["podSetAssignments"]
        ),
    )


def _pod_set_admission(entry: Mapping[str, Any], of_job: int, done: int) -> PodSetAdmission:
    usage = {name: amounts.whole(name, value) for name, value in (entry.get("resourceUsage") or {}).items()}
    admitted = entry.get("count", of_job)
    count = max(0, min(admitted, of_job - done))
    if count < admitted:
        usage = {name: amount * count // admitted for name, amount in usage.items()}
    assignment = entry.get("topologyAssignment")
    return PodSetAdmission(
        name=entry["name"],
        count=count,
        flavors=entry.get("flavors") or {},
        usage=usage,
        placement=topology_assignment.decode(assignment) if assignment else None,
    )


def admission_object(admission: Admission) -> Object:
    """``status.admission`` of a decision."""
    return {
        "clusterQueue": admission.cluster_queue,
        "podSetAssignments": [_assignment(pod_set) for pod_set in admission.pod_sets],
    }


def _assignment(pod_set: PodSetAdmission) -> Object:
    made: Object = {
        "name": pod_set.name,
        "count": pod_set.count,
        "flavors": dict(pod_set.flavors),
        "resourceUsage": {name: amounts.text(name, amount) for name, amount in pod_set.usage.items()},
    }
    if pod_set.placement is not None:
        made["topologyAssignment"] = topology_assignment.encode(pod_set.placement)
    return made


NEVER = datetime.max.replace(tzinfo=UTC)
"""When something without a reservation was reserved: after everybody else."""
