"""The priority of a Workload: its own class, else that of its pods (pkg/util/priority, Kueue v0.19)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sidings.api.kueue import keys
from sidings.api.objects import Object, labels_of
from sidings.controllers.kueue.jobs.integration import BuildError

WORKLOAD_CLASS = "WorkloadPriorityClass"
SYSTEM = {"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}


class Priority(NamedTuple):
    """``reference`` is ``spec.priorityClassRef``, None where no class is named."""

    reference: Object | None
    value: int


def of_job(
    job: Object,
    named: str,
    pod_sets: Sequence[Object],
    workload_classes: Mapping[str, Object],
    pod_classes: Mapping[str, Object],
) -> Priority:
    """WorkloadPriorityClass of the job's label, else ``named`` by its kind, else that of the first pods, else default.

    Raises ``BuildError`` for a class that does not exist.
    """
    label = labels_of(job).get(keys.PRIORITY_CLASS)
    if label:
        if label not in workload_classes:
            raise BuildError(f'workloadpriorityclasses.kueue.x-k8s.io "{label}" not found')
        reference = {"group": "kueue.x-k8s.io", "kind": WORKLOAD_CLASS, "name": label}
        return Priority(reference, workload_classes[label]["value"])
    name = named or _of_pods(pod_sets)
    if name:
        return Priority(
            {"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": name}, _value(name, pod_classes)
        )
    default = next((entry for entry in pod_classes.values() if entry.get("globalDefault")), None)
    if default is None:
        return Priority(None, 0)
    name = default["metadata"]["name"]
    return Priority({"group": "scheduling.k8s.io", "kind": "PriorityClass", "name": name}, default["value"])


def _of_pods(pod_sets: Sequence[Object]) -> str:
    for entry in pod_sets:
        if name := (entry["template"].get("spec") or {}).get("priorityClassName"):
            return str(name)
    return ""


def _value(name: str, classes: Mapping[str, Object]) -> int:
    if name in SYSTEM:
        return SYSTEM[name]
    if name not in classes:
        raise BuildError(f'priorityclasses.scheduling.k8s.io "{name}" not found')
    return int(classes[name]["value"])
