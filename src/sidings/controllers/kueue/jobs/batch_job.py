"""batch/v1 Job (pkg/controller/jobs/job, Kueue v0.19).

A Job is stopped in three writes: suspended and marked as stopping, its start time cleared (templates may only change
then), its template restored and the mark taken off.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api import conditions
from sidings.api.job.size import pods_at_once
from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of, copy_of
from sidings.api.resources import JOBS
from sidings.controllers.kueue.jobs import pod_set_info, topology_request
from sidings.controllers.kueue.jobs.integration import POD_INDEX, Outcome, Step, outcome_by, pod_set
from sidings.controllers.kueue.jobs.pod_set_info import PodSetInfo

MAIN = "main"
MANAGED_LABELS = ("job-name", "controller-uid", "batch.kubernetes.io/controller-uid")
"""Labels that the API server gives each Job's template; they say nothing about its shape."""
JOB_NAME = "batch.kubernetes.io/job-name"


class BatchJob:
    resource = JOBS

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def pod_sets(self, job: Object, made_from: Object | None) -> list[Object]:
        template = copy_of(job["spec"]["template"])
        labels = (template.get("metadata") or {}).get("labels") or {}
        for label in MANAGED_LABELS:
            labels.pop(label, None)
        made = pod_set(MAIN, pods_at_once(job["spec"]), template, topology_request.of_template(template, POD_INDEX))
        least = minimum_of(job)
        return [{**made, "minCount": least} if least is not None else made]

    def is_active(self, job: Object) -> bool:
        return bool((job.get("status") or {}).get("active"))

    def outcome(self, job: Object) -> Outcome | None:
        return outcome_by(job, "Complete")

    def is_ending(self, job: Object) -> bool:
        return conditions.is_true(job, "SuccessCriteriaMet") or conditions.is_true(job, "FailureTarget")

    def pods_ready(self, job: Object, made_from: Object | None) -> bool:
        status = job.get("status") or {}
        uncounted = (status.get("uncountedTerminatedPods") or {}).get("succeeded") or ()
        return int(status.get("succeeded", 0) + status.get("ready", 0) + len(uncounted)) >= pods_at_once(job["spec"])

    def reclaimable(self, job: Object, made_from: Object | None) -> list[Object]:
        """Fewer completions are left than pods may run: the rest of the pods is not needed any more."""
        status = job.get("status") or {}
        parallelism = parallelism_of(job)
        uncounted = (status.get("uncountedTerminatedPods") or {}).get("succeeded") or ()
        succeeded = status.get("succeeded", 0) + len(uncounted)
        if parallelism <= 1 or not succeeded:
            return []
        completions = job["spec"].get("completions")
        remaining = (parallelism if completions is None else completions) - succeeded
        if remaining >= parallelism:
            return []
        return [{"name": MAIN, "count": parallelism - remaining}]

    def priority_class(self, job: Object) -> str:
        return ""

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        job = copy_of(job)
        spec = job["spec"]
        spec["suspend"] = False
        (info,) = infos
        if minimum_of(job) is not None:
            spec["parallelism"] = info.count
            if annotations_of(job).get(keys.COMPLETIONS_EQUAL_PARALLELISM) == "true":
                spec["completions"] = info.count
        pod_set_info.apply(spec["template"], info)
        return job

    def stopped(self, job: Object, pod_sets: Sequence[Object]) -> Step | None:
        if not self.is_suspended(job):
            job = copy_of(job)
            job["spec"]["suspend"] = True
            job["metadata"].setdefault("annotations", {})[keys.STOPPING] = "true"
            return Step(job)
        if annotations_of(job).get(keys.STOPPING) != "true":
            return None
        job = copy_of(job)
        if (job.get("status") or {}).get("startTime"):
            del job["status"]["startTime"]
            return Step(job, "status")
        del job["metadata"]["annotations"][keys.STOPPING]
        if pod_sets:
            (original,) = pod_sets
            pod_set_info.restore(job["spec"]["template"], original["template"], MANAGED_LABELS)
            if minimum_of(job) is not None:
                job["spec"]["parallelism"] = original["count"]
                if annotations_of(job).get(keys.COMPLETIONS_EQUAL_PARALLELISM) == "true":
                    job["spec"]["completions"] = original["count"]
        return Step(job)


def parallelism_of(job: Object) -> int:
    parallelism = job["spec"].get("parallelism")
    return 1 if parallelism is None else int(parallelism)


def minimum_of(job: Object) -> int | None:
    """The fewest pods the job would do with, for partial admission."""
    text = annotations_of(job).get(keys.MIN_PARALLELISM, "")
    return int(text) if text.isdigit() else None
