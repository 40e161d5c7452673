"""The command that gives pods a flavor or a place of the topology, where the queue has the quota and they are kept out.

A taint is tolerated in the flavor's name; a node selector or a topology level belongs to the job.
"""

from __future__ import annotations

import json

from sidings.answers.resubmission import Revision, templates
from sidings.answers.surroundings import Surroundings
from sidings.api import tolerations
from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of
from sidings.queue.snapshot import ClusterQueue, Flavor, Snapshot
from sidings.queue.workloads import Workload


def opening(
    around: Surroundings, snapshot: Snapshot, workload: Workload, queue: ClusterQueue, job: Object | None
) -> str:
    """Lets the pods into the first flavor of the queue; empty where that needs a decision."""
    named = [snapshot.flavors[name] for group in queue.groups for name in group.flavors if name in snapshot.flavors]
    if not named:
        return ""
    taints = _hindrances(workload, named[0])
    if taints:
        tolerated = [{k: v for k, v in _toleration(taint).items() if v} for taint in taints]
        body = json.dumps({"spec": {"tolerations": [*named[0].tolerations, *tolerated]}})
        return around.kubectl("patch", "resourceflavor", named[0].name, "--type=merge", "-p", body)
    return _without_selector(around, named[0], job) if job is not None else ""


def anywhere(around: Surroundings, job: Object | None) -> str:
    """The topology level as a wish instead of a condition."""
    if job is None:
        return ""
    revision = Revision(job)
    for template in templates(job):
        level = annotations_of({"metadata": template.pods.get("metadata") or {}}).get(keys.REQUIRED_TOPOLOGY)
        if level:
            path = (*template.path, "metadata", "annotations")
            revision.remove((*path, keys.REQUIRED_TOPOLOGY))
            revision.set((*path, keys.PREFERRED_TOPOLOGY), level)
    return revision.command(around) if revision.changed else ""


def _hindrances(workload: Workload, flavor: Flavor) -> list[Object]:
    return [
        dict(taint)
        for taint in flavor.node_taints
        if taint["effect"] in tolerations.BLOCKING_EFFECTS
        and not all(
            tolerations.tolerates([*(p.pod_spec.get("tolerations") or ()), *flavor.tolerations], taint)
            for p in workload.pod_sets
        )
    ]


def _toleration(taint: Object) -> Object:
    operator = "Equal" if taint.get("value") else "Exists"
    return {"key": taint["key"], "operator": operator, "value": taint.get("value"), "effect": taint["effect"]}


def _without_selector(around: Surroundings, flavor: Flavor, job: Object) -> str:
    """Takes the labels off the job's node selector that the flavor's nodes do not have."""
    revision = Revision(job)
    for template in templates(job):
        for key, value in (template.pods["spec"].get("nodeSelector") or {}).items():
            if key in flavor.node_labels and flavor.node_labels[key] != value:
                revision.remove((*template.path, "spec", "nodeSelector", key))
    return revision.command(around) if revision.changed else ""
