"""TrainJob (pkg/controller/jobs/trainjob, Kueue v0.19): the pod sets of the JobSet that it will become.

What an admission adds is a patch of the runtime in Kueue's name, put there while the TrainJob is suspended; only then
is it resumed, because the Trainer reads the patch when it resumes.
"""

from __future__ import annotations

from collections.abc import Sequence

from sidings.api.kueue import keys
from sidings.api.kueue.jobs import NO_PATCH
from sidings.api.objects import Object, copy_of
from sidings.api.resources import TRAIN_JOBS
from sidings.controllers.kueue.jobs import job_set, topology_request
from sidings.controllers.kueue.jobs.integration import POD_INDEX, BuildError, Outcome, Step, outcome_by, pod_set
from sidings.controllers.kueue.jobs.pod_set_info import PodSetInfo
from sidings.controllers.trainjob.info import RuntimeInfo, runtime_info

NO_RUNTIME = "the runtime of the TrainJob is not there"


class TrainJobs:
    resource = TRAIN_JOBS

    def is_suspended(self, job: Object) -> bool:
        return bool(job["spec"].get("suspend"))

    def pod_sets(self, job: Object, made_from: Object | None) -> list[Object]:
        if made_from is None:
            raise BuildError(NO_RUNTIME)
        info = runtime_info(without_patch(job), made_from)
        nodes = _nodes(info)
        made = []
        for entry in info.pod_sets:
            template = entry.replicated_job["template"]["spec"]["template"]
            request = topology_request.of_template(template, POD_INDEX, job_set.SUB_GROUP, 1)
            made.append(pod_set(entry.name, nodes.get(entry.name, entry.count), template, request))
        return made

    def is_active(self, job: Object) -> bool:
        return any(entry.get("active") for entry in (job.get("status") or {}).get("jobsStatus") or ())

    def outcome(self, job: Object) -> Outcome | None:
        return outcome_by(job, "Complete")

    def is_ending(self, job: Object) -> bool:
        return False

    def pods_ready(self, job: Object, made_from: Object | None) -> bool:
        statuses = (job.get("status") or {}).get("jobsStatus") or ()
        return bool(statuses) and all(entry.get("ready", 0) + entry.get("succeeded", 0) >= 1 for entry in statuses)

    def reclaimable(self, job: Object, made_from: Object | None) -> list[Object]:
        done = {entry["name"] for entry in (job.get("status") or {}).get("jobsStatus") or () if entry.get("succeeded")}
        if not done:
            return []
        pod_sets = self.pod_sets(job, made_from)
        return [{"name": entry["name"], "count": entry["count"]} for entry in pod_sets if entry["name"] in done]

    def priority_class(self, job: Object) -> str:
        return ""

    def started(self, job: Object, infos: Sequence[PodSetInfo]) -> Object:
        job = copy_of(job)
        wanted = _patch_of(infos)
        patch = own_patch(job)
        if patch is None or patch.get("trainingRuntimeSpec") != wanted:
            _put_patch(job, wanted)
        else:
            job["spec"]["suspend"] = False
        return job

    def stopped(self, job: Object, pod_sets: Sequence[Object]) -> Step | None:
        job = copy_of(job)
        if not self.is_suspended(job):
            job["spec"]["suspend"] = True
            return Step(job)
        patch = own_patch(job)
        if self.is_active(job) or patch is None or patch.get("trainingRuntimeSpec") == NO_PATCH:
            return None
        _put_patch(job, NO_PATCH)
        return Step(job)


def own_patch(job: Object) -> Object | None:
    """Kueue's entry in ``spec.runtimePatches``."""
    return next((entry for entry in job["spec"].get("runtimePatches") or () if entry["manager"] == keys.MANAGER), None)


def without_patch(job: Object) -> Object:
    """``job`` as its user wrote it."""
    patches = [entry for entry in job["spec"].get("runtimePatches") or () if entry["manager"] != keys.MANAGER]
    return {**job, "spec": {**job["spec"], "runtimePatches": patches}}


def _put_patch(job: Object, spec: Object) -> None:
    patches = job["spec"].setdefault("runtimePatches", [])
    patches[:] = [entry for entry in patches if entry["manager"] != keys.MANAGER]
    patches.append({"manager": keys.MANAGER, "trainingRuntimeSpec": copy_of(spec)})


def _patch_of(infos: Sequence[PodSetInfo]) -> Object:
    return {"template": {"spec": {"replicatedJobs": [_replicated_job_patch(info) for info in infos]}}}


def _replicated_job_patch(info: PodSetInfo) -> Object:
    metadata = {name: value for name, value in (("annotations", info.annotations), ("labels", info.labels)) if value}
    parts = (("nodeSelector", info.node_selector), ("tolerations", info.tolerations), ("schedulingGates", info.gates))
    spec = {name: value for name, value in parts if value}
    template = {"metadata": metadata, **({"spec": spec} if spec else {})}
    return {"name": info.name, "template": {"spec": {"template": template}}}


def _nodes(info: RuntimeInfo) -> dict[str, int]:
    """``trainer.numNodes``, for the pod sets that train."""
    nodes = (info.trainer or {}).get("numNodes")
    return {} if nodes is None else {entry.name: nodes for entry in info.training()}
