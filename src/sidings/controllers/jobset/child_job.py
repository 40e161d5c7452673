"""The Jobs of a JobSet: the user's template, and where in the set each of them stands.

Every fact about the place of a Job is stamped on the Job and on its pod template, as label and as annotation: labels
for selectors, annotations for the downward API. JobSet itself injects no environment variables.
"""

from __future__ import annotations

from typing import Any

from sidings.api import objects
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.jobset import labels, names
from sidings.api.objects import Object
from sidings.controllers.jobset import job_restarts, volume_claims

_EXCLUSIVE_TOLERATION = {"key": labels.NO_SCHEDULE_TAINT, "operator": "Exists", "effect": "NoSchedule"}


def job_for(jobset: Object, replicated_job: Object, index: int, gates: FeatureGates = NONE) -> Object:
    """Job number ``index`` of the group ``replicated_job``, of the attempt that the JobSet's status is in."""
    template = replicated_job["template"]
    spec = objects.copy_of(template.get("spec") or {})
    facts = place(jobset, replicated_job, index, gates)
    pod_template = spec.setdefault("template", {})
    pod_spec = pod_template.setdefault("spec", {})
    job_metadata = template.get("metadata") or {}
    pod_metadata = pod_template.get("metadata") or {}
    exclusive = _exclusive_placement(jobset) | _exclusive_placement({"metadata": job_metadata})

    pod_template["metadata"] = {
        **pod_metadata,
        "labels": {**(pod_metadata.get("labels") or {}), **facts},
        "annotations": {**(pod_metadata.get("annotations") or {}), **exclusive, **facts},
    }
    job: dict[str, Any] = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": names.job_name(objects.name_of(jobset), replicated_job["name"], index),
            "namespace": objects.namespace_of(jobset),
            "labels": {**(job_metadata.get("labels") or {}), **facts},
            "annotations": {**(job_metadata.get("annotations") or {}), **exclusive, **facts},
            "ownerReferences": [objects.controller_ref(jobset)],
        },
        "spec": spec,
    }
    if (jobset["spec"].get("network") or {}).get("enableDNSHostnames"):
        pod_spec["subdomain"] = names.subdomain(jobset)
    if labels.EXCLUSIVE_TOPOLOGY in exclusive and labels.NODE_SELECTOR in exclusive:
        _bind_to_labelled_nodes(job, pod_spec)
    spec["suspend"] = bool(jobset["spec"].get("suspend"))
    if volumes := volume_claims.volumes_for(jobset, replicated_job):
        pod_spec["volumes"] = [*(pod_spec.get("volumes") or ()), *volumes]
    return job


def place(jobset: Object, replicated_job: Object, index: int, gates: FeatureGates = NONE) -> dict[str, str]:
    """The facts about the place of a Job, by label name."""
    replicated_jobs = jobset["spec"].get("replicatedJobs") or []
    group = replicated_job.get("groupName") or ""
    same_group = [other for other in replicated_jobs if (other.get("groupName") or "") == group]
    name = names.job_name(objects.name_of(jobset), replicated_job["name"], index)
    facts = {
        labels.JOBSET_NAME: objects.name_of(jobset),
        labels.JOBSET_UID: objects.uid_of(jobset),
        labels.REPLICATED_JOB_NAME: replicated_job["name"],
        labels.REPLICATED_JOB_REPLICAS: str(replicated_job["replicas"]),
        labels.GLOBAL_REPLICAS: str(_replicas(replicated_jobs)),
        labels.JOB_INDEX: str(index),
        labels.JOB_GLOBAL_INDEX: str(_replicas_before(replicated_jobs, replicated_job) + index),
        labels.JOB_KEY: names.job_key(objects.namespace_of(jobset), name),
        labels.RESTART_ATTEMPT: str((jobset.get("status") or {}).get("restarts") or 0),
        labels.GROUP_NAME: group,
        labels.GROUP_REPLICAS: str(_replicas(same_group)),
        labels.JOB_GROUP_INDEX: str(_replicas_before(same_group, replicated_job) + index),
    }
    if jobset["spec"].get("coordinator"):
        facts[labels.COORDINATOR] = names.coordinator_endpoint(jobset)
    if Gate.RESTART_JOB in gates:
        facts[labels.JOB_RESTART_ATTEMPT] = str(job_restarts.of_job(jobset, replicated_job["name"], index))
    return facts


def _replicas(replicated_jobs: list[Object]) -> int:
    return sum(int(replicated_job["replicas"]) for replicated_job in replicated_jobs)


def _replicas_before(replicated_jobs: list[Object], replicated_job: Object) -> int:
    position = [other["name"] for other in replicated_jobs].index(replicated_job["name"])
    return _replicas(replicated_jobs[:position])


def _exclusive_placement(obj: Object) -> dict[str, str]:
    """The annotations of exclusive placement on ``obj``; the node selector one counts only beside the topology."""
    annotations = objects.annotations_of(obj)
    if labels.EXCLUSIVE_TOPOLOGY not in annotations:
        return {}
    wanted = (labels.EXCLUSIVE_TOPOLOGY, labels.NODE_SELECTOR)
    return {name: annotations[name] for name in wanted if name in annotations}


def _bind_to_labelled_nodes(job: Object, pod_spec: Object) -> None:
    target = f"{objects.namespace_of(job)}_{objects.name_of(job)}"
    pod_spec["nodeSelector"] = {**(pod_spec.get("nodeSelector") or {}), labels.NAMESPACED_JOB: target}
    pod_spec["tolerations"] = [*(pod_spec.get("tolerations") or ()), dict(_EXCLUSIVE_TOLERATION)]
