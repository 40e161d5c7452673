"""What a pass decides on: the JobSet and its children, sorted by what has become of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sidings.api import objects
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.jobset import labels
from sidings.api.objects import Object
from sidings.controllers.jobset import job_restarts


@dataclass(frozen=True)
class Children:
    """The Jobs that a JobSet controls. Every one is in exactly one list.

    A suspended Job, one on its way to an end (``FailureTarget``) and one being deleted are *active*. A Job of an
    earlier attempt is *previous*, however it ended: it counts for nothing and has to go.
    """

    active: list[Object] = field(default_factory=list)
    successful: list[Object] = field(default_factory=list)
    failed: list[Object] = field(default_factory=list)
    previous: list[Object] = field(default_factory=list)

    @property
    def all(self) -> list[Object]:
        return [*self.active, *self.successful, *self.failed, *self.previous]


@dataclass(frozen=True)
class Snapshot:
    """Everything is shared with other readers: copy before changing."""

    jobset: Object
    children: Children
    service_exists: bool = False
    """Whether a Service of the JobSet's subdomain is there, whoever made it."""
    claims: frozenset[str] = frozenset()
    """Names of those of its claims that are there."""
    gates: FeatureGates = NONE
    pods: tuple[Object, ...] = ()
    """The pods of the JobSet, where it restarts in place; else none are read."""


def classify(jobset: Object, jobs: Iterable[Object], gates: FeatureGates = NONE) -> Children:
    """Sort those of ``jobs`` that ``jobset`` controls, in the order given.

    Raises ``ValueError`` for a child whose restart-attempt label is no number: it belongs to an unknown attempt.
    """
    uid = objects.uid_of(jobset)
    restarts = int((jobset.get("status") or {}).get("restarts") or 0)
    children = Children()
    for job in jobs:
        if (objects.controller_of(job) or {}).get("uid") != uid:
            continue
        old = int(objects.labels_of(job).get(labels.RESTART_ATTEMPT, "")) < restarts
        if old or (Gate.RESTART_JOB in gates and job_restarts.is_previous(jobset, job)):
            children.previous.append(job)
        else:
            {"Complete": children.successful, "Failed": children.failed}.get(finished_as(job), children.active).append(
                job
            )
    return children


def finished_as(job: Object) -> str:
    """``Complete``, ``Failed`` or ``""``: the first final condition that is true."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition["type"] in ("Complete", "Failed") and condition["status"] == "True":
            return str(condition["type"])
    return ""
