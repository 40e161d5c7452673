"""What a DataScienceCluster and the operators' objects report: reasons and messages of opendatahub-operator v3.4,
jobset-operator 1.0 and kueue-operator 1.3, as far as they can be true here.

Components that Sidings does not have (dashboard, kserve ...) are told as such with severity Info, so that a manifest
which switches them on still becomes Ready for what is here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sidings.api import conditions, timestamps
from sidings.api.objects import Object, name_of
from sidings.api.platform.components import MANAGED, REMOVED, SINGLETON, Component, state_of

KINDS = {
    "aipipelines": "AIPipelines",
    "dashboard": "Dashboard",
    "feastoperator": "FeastOperator",
    "kserve": "Kserve",
    "kueue": "Kueue",
    "llamastackoperator": "LlamaStackOperator",
    "mlflowoperator": "MLflowOperator",
    "modelregistry": "ModelRegistry",
    "ray": "Ray",
    "sparkoperator": "SparkOperator",
    "trainer": "Trainer",
    "trainingoperator": "TrainingOperator",
    "trustyai": "TrustyAI",
    "workbenches": "Workbenches",
}
"""Component -> the kind in its condition's name: ``TrainerReady``."""

MESSAGE_REMOVED = "Component ManagementState is set to Removed"
NO_JOB_SET_OPERATOR = "JobSetOperator CR with name 'cluster' not found, please create it first"
WRONG_JOB_SET_OPERATOR = (
    "JobSetOperator CR found with name '{name}' (expected 'cluster'), please ensure the CR is named 'cluster'"
)
KUEUE_MANAGED = "Kueue managementState Managed is not supported, please use Removed or Unmanaged"
NOT_HERE = "Sidings has no such component: its objects are not served"


class State(NamedTuple):
    """A condition before it has a time. ``severity`` Info: it does not count against the whole."""

    type: str
    status: bool
    reason: str
    message: str = ""
    severity: str = ""


def of_cluster(cluster: Object, job_set_operators: Sequence[Object]) -> list[State]:
    """The conditions of a DataScienceCluster, the summary first."""
    parts = [_of_component(cluster, component, job_set_operators) for component in KINDS]
    broken = [part for part in parts if not part.status and part.severity != "Info"]
    names = ", ".join(part.type for part in broken)
    summary = broken[0].message if broken else ""
    return [
        State("Ready", not broken, "Error" if broken else "Ready", summary),
        State("ProvisioningSucceeded", not broken, "Error" if broken else "ProvisioningSucceeded", summary),
        State(
            "ComponentsReady", not broken, "NotReady" if broken else "Ready", f"not ready: {names}" if broken else ""
        ),
        *parts,
    ]


def _of_component(cluster: Object, component: str, job_set_operators: Sequence[Object]) -> State:
    type_, state = f"{KINDS[component]}Ready", state_of(cluster, component)
    if state == REMOVED:
        return State(type_, False, REMOVED, MESSAGE_REMOVED, "Info")
    if component == Component.KUEUE:
        return State(type_, False, "Error", KUEUE_MANAGED) if state == MANAGED else State(type_, True, "Ready")
    if component == Component.TRAINER:
        obstacle = _dependency(job_set_operators)
        return State(type_, not obstacle, "Error" if obstacle else "Ready", obstacle)
    if component == Component.TRAINING_OPERATOR:
        return State(type_, True, "Ready")
    return State(type_, False, "NotAvailable", NOT_HERE, "Info")


def _dependency(job_set_operators: Sequence[Object]) -> str:
    """What the trainer component misses of JobSet's operator."""
    names = [name_of(operator) for operator in job_set_operators]
    if wrong := next((name for name in names if name != SINGLETON), ""):
        return WRONG_JOB_SET_OPERATOR.format(name=wrong)
    return "" if names else NO_JOB_SET_OPERATOR


def cluster_status(cluster: Object, states: Sequence[State], release: str, now: datetime) -> Object:
    """The whole status of a DataScienceCluster."""
    components = (cluster.get("spec") or {}).get("components") or {}
    return {
        "phase": "Ready" if states[0].status else "Not Ready",
        "observedGeneration": _generation(cluster),
        "release": {"name": "Sidings", "version": release},
        "conditions": timed(cluster, states, now),
        "components": {
            name: {"managementState": state_of(cluster, name)} for name in sorted(components) if name in KINDS
        },
    }


def of_job_set_operator(operator: Object) -> list[State]:
    """Conditions of ``operator.openshift.io/v1 JobSetOperator``."""
    off = (operator.get("spec") or {}).get("managementState") == REMOVED
    available = (
        State("Available", False, "DeploymentUnavailable", "Operand Deployment is not available")
        if off
        else State("Available", True, "AsExpected")
    )
    return [
        available,
        State("Degraded", False, "AsExpected"),
        State("TargetConfigControllerDegraded", False, "AsExpected"),
        State("JobSetOperatorStaticResourcesDegraded", False, "AsExpected"),
    ]


def of_kueue_operator(operator: Object) -> list[State]:
    """Conditions of ``kueue.openshift.io/v1 Kueue``."""
    off = (operator.get("spec") or {}).get("managementState") == REMOVED
    available = (
        State("Available", False, "NotEnoughReplicas", "0/1 replicas are ready")
        if off
        else State("Available", True, "AllReplicasReady", "All 1 replicas are ready")
    )
    return [
        available,
        State("Progressing", False, "AsExpected"),
        State("Degraded", False, "AsExpected"),
        State("CertManagerAvailable", True, "CertManagerInstalled"),
    ]


def timed(obj: Object, states: Sequence[State], now: datetime) -> list[dict[str, Any]]:
    """``states`` as conditions; one that says what it said keeps its time."""
    before = (obj.get("status") or {}).get("conditions") or []
    return [_timed(state, conditions.find(before, state.type), _generation(obj), now) for state in states]


def _generation(obj: Object) -> int:
    return int(obj["metadata"].get("generation") or 0)


def _timed(state: State, before: Object | None, generation: int, now: datetime) -> dict[str, Any]:
    status = "True" if state.status else "False"
    kept = before is not None and before.get("status") == status
    made: dict[str, Any] = {
        "type": state.type,
        "status": status,
        "reason": state.reason,
        "message": state.message,
        "lastTransitionTime": before["lastTransitionTime"] if kept and before else timestamps.to_text(now),
        "observedGeneration": generation,
    }
    return made | ({"severity": state.severity} if state.severity else {})
