"""JobSet (pkg/controller/jobs/jobset, Kueue v0.19): one pod set per replicatedJob."""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api.job.size import pods_at_once
from sidings.api.objects import Object, copy_of
from sidings.api.resources import JOB_SETS
from sidings.controllers.kueue.jobs import pod_set_info, topology_request
from sidings.controllers.kueue.jobs.integration import POD_INDEX, Outcome, Step, outcome_by, pod_set
from sidings.controllers.kueue.jobs.pod_set_info import PodSetConflict, PodSetInfo

SUB_GROUP = "jobset.sigs.k8s.io/job-index"


class JobSets:
    resource = JOB_SETS

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def pod_sets(self, job: Object, made_from: Object | None) -> list[Object]:
        return [replicated_pod_set(entry) for entry in job["spec"].get("replicatedJobs") or ()]

    def is_active(self, job: Object) -> bool:
        return any(entry.get("active") for entry in (job.get("status") or {}).get("replicatedJobsStatus") or ())

    def outcome(self, job: Object) -> Outcome | None:
        return outcome_by(job, "Completed")

    def is_ending(self, job: Object) -> bool:
        return False

    def pods_ready(self, job: Object, made_from: Object | None) -> bool:
        """All jobs are ready or done."""
        wanted = sum(entry.get("replicas", 1) for entry in job["spec"].get("replicatedJobs") or ())
        statuses = (job.get("status") or {}).get("replicatedJobsStatus") or ()
        return bool(sum(entry.get("ready", 0) + entry.get("succeeded", 0) for entry in statuses) == wanted)

    def reclaimable(self, job: Object, made_from: Object | None) -> list[Object]:
        statuses = (job.get("status") or {}).get("replicatedJobsStatus") or ()
        return reclaimable_pods(job["spec"].get("replicatedJobs") or (), statuses)

    def priority_class(self, job: Object) -> str:
        return ""

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        job = copy_of(job)
        job["spec"]["suspend"] = False
        replicated = job["spec"]["replicatedJobs"]
        if len(replicated) != len(infos):
            raise PodSetConflict(f"wrong number of pod sets: expecting {len(replicated)} podsets, got {len(infos)}")
        for entry, info in zip(replicated, infos, strict=True):
            pod_set_info.apply(entry["template"]["spec"]["template"], info)
        return job

    def stopped(self, job: Object, pod_sets: Sequence[Object]) -> Step | None:
        if self.is_suspended(job):
            return None
        job = copy_of(job)
        job["spec"]["suspend"] = True
        for entry, original in zip(job["spec"]["replicatedJobs"], pod_sets, strict=False):
            pod_set_info.restore(entry["template"]["spec"]["template"], original["template"])
        return Step(job)


def replicated_pod_set(entry: Object) -> Object:
    """The pod set of one entry of ``replicatedJobs``."""
    template = copy_of(entry["template"]["spec"]["template"])
    template.setdefault("metadata", {})
    replicas = entry.get("replicas", 1)
    request = topology_request.of_template(template, POD_INDEX, SUB_GROUP, replicas)
    return pod_set(entry["name"], replicas * pods_at_once(entry["template"]["spec"]), template, request)


def reclaimable_pods(replicated: Sequence[Object], statuses: Sequence[Object]) -> list[Object]:
    """Pods of jobs that have succeeded."""
    succeeded = {entry["name"]: entry.get("succeeded", 0) for entry in statuses}
    return [
        {"name": entry["name"].lower(), "count": done * pods_at_once(entry["template"]["spec"])}
        for entry in replicated
        if 0 < (done := succeeded.get(entry["name"], 0)) <= entry.get("replicas", 1)
    ]
