"""What a kind of job has to tell for the queue to hold and release it (pkg/controller/jobframework, Kueue v0.19)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sidings.api.objects import Object
from sidings.api.resources import Resource
from sidings.controllers.kueue.jobs.pod_set_info import PodSetInfo

POD_INDEX = "batch.kubernetes.io/job-completion-index"


class Outcome(NamedTuple):
    """How a job ended; ``message`` is that of its terminal condition."""

    success: bool
    message: str


class Integration(Protocol):
    """One kind. Every method is a pure function of the job; results are new objects.

    ``made_from`` is what a job refers to and is built from: a TrainJob's runtime, None for all other kinds.
    """

    resource: Resource

    def is_suspended(self, job: Object) -> bool: ...

    def pod_sets(self, job: Object, made_from: Object | None) -> list[Object]:
        """``spec.podSets`` of its Workload. Raises ``BuildError`` where the job cannot tell yet."""
        ...

    def is_active(self, job: Object) -> bool:
        """Whether anything of it still runs."""
        ...

    def outcome(self, job: Object) -> Outcome | None: ...

    def is_ending(self, job: Object) -> bool:
        """Whether its end is decided and only not declared yet; until then there is no other news of it."""
        ...

    def pods_ready(self, job: Object, made_from: Object | None) -> bool: ...

    def reclaimable(self, job: Object, made_from: Object | None) -> list[Object]:
        """``status.reclaimablePods``: pods that are done and need no quota any more."""
        ...

    def priority_class(self, job: Object) -> str:
        """The PriorityClass that the kind names beside its pod templates, or empty."""
        ...

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        """The job one step nearer to running with ``infos``; running in the end. Raises ``PodSetConflict``."""
        ...

    def stopped(self, job: Object, pod_sets: Sequence[Object]) -> Step | None:
        """The next step to a suspended job whose templates are those of ``pod_sets`` again; None when it is."""
        ...


class Step(NamedTuple):
    """One write: ``obj`` to be put, at ``subresource`` if it is its status."""

    obj: Object
    subresource: str = ""


class BuildError(Exception):
    """The pod sets of a job cannot be told: its runtime is missing, for one."""


def outcome_by(job: Object, success: str) -> Outcome | None:
    """How ``job`` ended, by its condition ``success`` or ``Failed``; None while it has neither."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition["type"] in (success, "Failed") and condition["status"] == "True":
            return Outcome(condition["type"] == success, condition.get("message") or "")
    return None


def pod_set(name: str, count: int, template: Object, request: Object | None = None) -> Object:
    """One entry of ``spec.podSets``, its name in lower case."""
    made = {"name": name.lower(), "count": count, "template": template}
    return {**made, "topologyRequest": request} if request else made
