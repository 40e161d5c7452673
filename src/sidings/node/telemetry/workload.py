"""Whose figures they are: a pod's job and its rank in it. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from sidings.api.objects import Object, controller_of, labels_of, name_of, namespace_of, uid_of

_JOB_SET, _REPLICATED_JOB = "jobset.sigs.k8s.io/jobset-name", "jobset.sigs.k8s.io/replicatedjob-name"
_JOB, _RANK = "batch.kubernetes.io/job-name", "batch.kubernetes.io/job-completion-index"


@dataclass(frozen=True)
class Workload:
    """A pod and where it belongs; ``kind`` and ``job`` are empty for a pod of its own.

    ``rank`` is the pod's place in its part of the job (``part``, a JobSet's replicated job), ``""`` without one.
    """

    uid: str
    namespace: str
    pod: str
    node: str
    kind: str = ""
    job: str = ""
    part: str = ""
    rank: str = ""


def workload_of(pod: Object) -> Workload:
    """A pod's workload. A TrainJob has its JobSet's name, so it is found by its own."""
    labels = labels_of(pod)
    kind, job = "", ""
    if name := labels.get(_JOB_SET):
        kind, job = "JobSet", name
    elif name := labels.get(_JOB):
        kind, job = "Job", name
    elif owner := controller_of(pod):
        kind, job = str(owner["kind"]), str(owner["name"])
    return Workload(
        uid=uid_of(pod),
        namespace=namespace_of(pod),
        pod=name_of(pod),
        node=pod["spec"].get("nodeName") or "",
        kind=kind,
        job=job,
        part=labels.get(_REPLICATED_JOB, ""),
        rank=labels.get(_RANK, ""),
    )
