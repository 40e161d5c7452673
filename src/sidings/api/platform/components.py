"""Which parts of the stack run, by the objects that OpenShift AI's operators are told it with.

``DataScienceCluster`` names components, ``JobSetOperator`` and ``Kueue`` (of the Red Hat build) are the switches of one
each. Where there is none of these objects everything runs. A part that is off keeps its kinds and objects; nobody
reconciles them, as where its deployment was removed. (opendatahub-operator v3.2 to v3.5, jobset- and kueue-operator)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from sidings.api.objects import Object, name_of

MANAGED, UNMANAGED, REMOVED = "Managed", "Unmanaged", "Removed"
SINGLETON = "cluster"
"""The one name that the operators' own objects may have."""


class Component(StrEnum):
    """The parts that can be switched; values are the names in ``DataScienceCluster`` but for JobSet, which has none."""

    TRAINER = "trainer"
    TRAINING_OPERATOR = "trainingoperator"
    KUEUE = "kueue"
    JOB_SET = "jobset"


def running(
    clusters: Sequence[Object], job_set_operators: Sequence[Object], kueue_operators: Sequence[Object]
) -> frozenset[Component]:
    """The components that are on."""
    off: set[Component] = set()
    for component in (Component.TRAINER, Component.TRAINING_OPERATOR):
        if clusters and all(state_of(cluster, component) != MANAGED for cluster in clusters):
            off.add(component)
    if _is_removed(kueue_operators) or (
        clusters and not kueue_operators and all(state_of(cluster, Component.KUEUE) == REMOVED for cluster in clusters)
    ):
        off.add(Component.KUEUE)
    if _is_removed(job_set_operators):
        off.add(Component.JOB_SET)
    return frozenset(Component) - off


def state_of(cluster: Object, component: str) -> str:
    """``managementState`` of a component; left out means Removed."""
    components = (cluster.get("spec") or {}).get("components") or {}
    return str((components.get(component) or {}).get("managementState") or REMOVED)


def _is_removed(operators: Iterable[Object]) -> bool:
    return any(
        name_of(operator) == SINGLETON and (operator.get("spec") or {}).get("managementState") == REMOVED
        for operator in operators
    )
