"""Reasons and messages of the scheduler, as people search for them (Kueue main of August 2026, after v0.19)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

# Reasons of QuotaReserved=False (gate UnadmittedWorkloadsObservability, on since v0.19).
NO_MATCHING_FLAVOR = "NoMatchingFlavor"
WAITING_FOR_QUOTA = "WaitingForQuota"
EXCEEDS_MAX_QUOTA = "ExceedsMaxQuota"
TOPOLOGY_PLACEMENT_FAILED = "TopologyPlacementFailed"
WAITING_FOR_PREEMPTED_WORKLOADS = "WaitingForPreemptedWorkloads"
MISCONFIGURED = "Misconfigured"
PENDING_EVALUATION = "PendingEvaluation"

# Reasons of Preempted=True, and how the message says them.
IN_CLUSTER_QUEUE = "InClusterQueue"
IN_COHORT_RECLAMATION = "InCohortReclamation"
IN_COHORT_FAIR_SHARING = "InCohortFairSharing"
IN_COHORT_RECLAIM_WHILE_BORROWING = "InCohortReclaimWhileBorrowing"
PREEMPTION_WORDS = {
    IN_CLUSTER_QUEUE: "prioritization in the ClusterQueue",
    IN_COHORT_RECLAMATION: "reclamation within the cohort",
    IN_COHORT_FAIR_SHARING: "Fair Sharing within the cohort",
    IN_COHORT_RECLAIM_WHILE_BORROWING: "reclamation within the cohort while borrowing",
}

NO_LONGER_FITS = "Workload no longer fits after processing another workload"
OVERLAPPING_TARGETS = "Workload has overlapping preemption targets with another workload"
OVERLAPPING_BUT_FITS = f"{OVERLAPPING_TARGETS}, but will fit after these preemptions complete"
BYPASSED = "Bypassed scheduling evaluation because an equivalent workload recently failed"
CHECKS_FAILED = "The workload has failed admission checks"
NAMESPACE_MISMATCH = "workload namespace doesn't match ClusterQueue selector"


class Severity(IntEnum):
    """How final a refusal is; of several flavors the mildest counts, of several pod sets the gravest."""

    TOPOLOGY = 0
    WAITING = 1
    MAXIMUM = 2
    NO_MATCH = 3

    @property
    def reason(self) -> str:
        return _OF_SEVERITY[self]


_OF_SEVERITY = {
    Severity.TOPOLOGY: TOPOLOGY_PLACEMENT_FAILED,
    Severity.WAITING: WAITING_FOR_QUOTA,
    Severity.MAXIMUM: EXCEEDS_MAX_QUOTA,
    Severity.NO_MATCH: NO_MATCHING_FLAVOR,
}


def over_maximum(resource: str, flavor: str, before: str, request: str, maximum: str) -> str:
    return (
        f"insufficient quota for {resource} in flavor {flavor}, previously considered podsets requests ({before})"
        f" + current podset request ({request}) > maximum capacity ({maximum})"
    )


def over_unused(resource: str, flavor: str, missing: str) -> str:
    return f"insufficient unused quota for {resource} in flavor {flavor}, {missing} more needed"


def not_assigned(pod_set: str, reasons: list[str]) -> str:
    return f"couldn't assign flavors to pod set {pod_set}: {', '.join(sorted(reasons))}"


def pending_preemption(victims: int) -> str:
    return f". Pending the preemption of {victims} workload(s)"


def preempted(uid: str, job_uid: str, reason: str, preemptor_path: str, preemptee_path: str) -> str:
    return (
        f"Preempted to accommodate a workload (UID: {uid}, JobUID: {job_uid or 'UNKNOWN'}) due to"
        f" {PREEMPTION_WORDS[reason]}; preemptor path: {preemptor_path}; preemptee path: {preemptee_path}"
    )


def no_replacement(nodes: Sequence[str]) -> str:
    """Of the condition Evicted, reason NodeFailures."""
    return f"Workload was evicted as there was no replacement for unhealthy node(s): {','.join(nodes)}"


def priorities(preemptor: int, preemptee: int) -> str:
    """The tail of preemption events. The boost is an alpha annotation that is not read, so always 0."""
    return (
        f"; preemptor effective priority: {preemptor} (base: {preemptor}, boost: 0)"
        f"; preemptee effective priority: {preemptee} (base: {preemptee}, boost: 0)"
    )
