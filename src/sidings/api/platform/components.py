"""Which parts of the stack run, by the objects that OpenShift AI's operators are told it with.

``DataScienceCluster`` names components, ``JobSetOperator`` and ``Kueue`` (of the Red Hat build) are the switches of one
each. Where there is none of these objects everything runs. A part that is off keeps its kinds and objects; nobody
reconciles them, as where its deployment was removed. (opendatahub-operator v3.2 to v3.5, jobset- and kueue-operator)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from sidings.api.objects import Object, name_of
from sidings.api.resources import DATA_SCIENCE_CLUSTERS, JOB_SET_OPERATORS, KUEUE_OPERATORS

MANAGED, UNMANAGED, REMOVED = "Managed", "Unmanaged", "Removed"
SWITCHES = (DATA_SCIENCE_CLUSTERS, JOB_SET_OPERATORS, KUEUE_OPERATORS)
"""The kinds of these objects, in the order in which ``running`` and ``removed_by`` take them."""
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
    off = (who for who in Component if removed_by(who, clusters, job_set_operators, kueue_operators) is not None)
    return frozenset(Component) - frozenset(off)


def removed_by(
    component: Component,
    clusters: Sequence[Object],
    job_set_operators: Sequence[Object],
    kueue_operators: Sequence[Object],
) -> Object | None:
    """The object that has ``component`` off; None while it is on."""
    match component:
        case Component.JOB_SET:
            return _removed(job_set_operators)
        case Component.KUEUE if kueue_operators:
            return _removed(kueue_operators)
        case Component.KUEUE:
            is_off = all(state_of(cluster, component) == REMOVED for cluster in clusters)
        case _:
            is_off = all(state_of(cluster, component) != MANAGED for cluster in clusters)
    return clusters[0] if clusters and is_off else None


def state_of(cluster: Object, component: str) -> str:
    """``managementState`` of a component; left out means Removed."""
    components = (cluster.get("spec") or {}).get("components") or {}
    return str((components.get(component) or {}).get("managementState") or REMOVED)


def _removed(operators: Iterable[Object]) -> Object | None:
    """The operator's object, if it has its component off."""
    return next(
        (
            operator
            for operator in operators
            if name_of(operator) == SINGLETON and (operator.get("spec") or {}).get("managementState") == REMOVED
        ),
        None,
    )
