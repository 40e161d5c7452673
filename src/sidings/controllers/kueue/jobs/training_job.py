"""The kinds of ``kubeflow.org/v1`` (pkg/controller/jobs/kubeflow, Kueue v0.19): one pod set per declared role."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api.objects import Object, copy_of
from sidings.api.training_operator import framework as frameworks
from sidings.api.training_operator.framework import Framework
from sidings.controllers.kueue.jobs import pod_set_info, topology_request
from sidings.controllers.kueue.jobs.integration import Outcome, Step, outcome_by, pod_set
from sidings.controllers.kueue.jobs.pod_set_info import PodSetConflict, PodSetInfo

REPLICA_INDEX = "training.kubeflow.org/replica-index"


class TrainingJobs:
    """One of the six kinds."""

    def __init__(self, of: Framework) -> None:
        self._of = of
        self.resource = of.resource

    def is_suspended(self, job: Object) -> bool:
        return bool((job["spec"].get("runPolicy") or {}).get("suspend"))

    def pod_sets(self, job: Object, made_from: Object | None) -> list[Object]:
        made = []
        for role, spec in self._of.roles_of(job):
            template = copy_of(spec.get("template") or {})
            template.setdefault("metadata", {})
            replicas = spec.get("replicas")
            request = topology_request.of_template(template, REPLICA_INDEX)
            made.append(pod_set(role, 1 if replicas is None else replicas, template, request))
        return made

    def is_active(self, job: Object) -> bool:
        statuses = (job.get("status") or {}).get("replicaStatuses") or {}
        return any((status or {}).get("active") for status in statuses.values())

    def outcome(self, job: Object) -> Outcome | None:
        return outcome_by(job, "Succeeded")

    def is_ending(self, job: Object) -> bool:
        return False

    def pods_ready(self, job: Object, made_from: Object | None) -> bool:
        conditions = (job.get("status") or {}).get("conditions") or ()
        return any(condition["type"] == "Running" and condition["status"] == "True" for condition in conditions)

    def reclaimable(self, job: Object, made_from: Object | None) -> list[Object]:
        return []

    def priority_class(self, job: Object) -> str:
        policy = (job["spec"].get("runPolicy") or {}).get("schedulingPolicy") or {}
        return str(policy.get("priorityClass") or "")

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        job = copy_of(job)
        job["spec"].setdefault("runPolicy", {})["suspend"] = False
        roles = [spec for _, spec in self._of.roles_of(job)]
        if len(roles) != len(infos):
            raise PodSetConflict(f"wrong number of pod sets: expecting {len(roles)} podsets, got {len(infos)}")
        for spec, info in zip(roles, infos, strict=True):
            pod_set_info.apply(spec.setdefault("template", {}), info)
        return job

    def stopped(self, job: Object, pod_sets: Sequence[Object]) -> Step | None:
        if self.is_suspended(job):
            return None
        job = copy_of(job)
        job["spec"].setdefault("runPolicy", {})["suspend"] = True
        roles = [spec for _, spec in self._of.roles_of(job)]
        for spec, original in zip(roles, pod_sets, strict=False):
            pod_set_info.restore(spec["template"], original["template"])
        return Step(job)


ALL = tuple(TrainingJobs(of) for of in frameworks.ALL)
