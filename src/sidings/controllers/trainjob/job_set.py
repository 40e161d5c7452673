"""The JobSet of a TrainJob: what it says, and when it is written.

It is written by server-side apply in the name of ``trainer``, forced. A running JobSet is left alone whatever changed
around it; one is applied when there is none, while the TrainJob is suspended, and to resume it.
"""

from __future__ import annotations

from typing import NamedTuple

from sidings.api.objects import Object, controller_ref
from sidings.api.resources import JOB_SETS
from sidings.api.trainer import words
from sidings.controllers.trainjob import local_source, plugins, upsert
from sidings.controllers.trainjob.companions import Companion
from sidings.controllers.trainjob.errors import BuildError
from sidings.controllers.trainjob.info import PodSet, RuntimeInfo, runtime_info
from sidings.controllers.trainjob.plugins import progress
from sidings.controllers.trainjob.plugins.progress import StatusServer

_INITIALIZERS = {words.DATASET_INITIALIZER: "dataset", words.MODEL_INITIALIZER: "model"}


def is_due(job: Object, job_set: Object | None) -> bool:
    """Whether the JobSet must be applied; ``job`` has not finished."""
    if job_set is None or job["spec"].get("suspend"):
        return True
    spec = job_set.get("spec") or {}
    if not spec.get("suspend"):
        return False
    # While something is active the controllers below are not done with suspending; to resume meets them half-way.
    jobs = (job_set.get("status") or {}).get("replicatedJobsStatus") or ()
    return not any(job.get("active") for job in jobs)


class Built(NamedTuple):
    """All that is applied for a TrainJob, the JobSet last."""

    companions: list[Companion]
    job_set: Object
    info: RuntimeInfo
    """What it was made from, the plug-ins' changes included."""


def build(job: Object, runtime: Object, status_server: StatusServer | None = None) -> Built:
    """What ``job`` on ``runtime`` becomes; raises :class:`BuildError` where it can be nothing.

    ``status_server``: where its pods are to report progress, if they are.
    """
    info = runtime_info(job, runtime)
    plugins.enforce(info)
    companions = plugins.companions(info)
    if status_server is not None:
        progress.enforce(info, status_server)
        companions += progress.companions(info, status_server)
    for pod_set in info.pod_sets:
        _merge_job(info, pod_set)
        pod_set.replicated_job["template"]["spec"] |= {"parallelism": pod_set.count, "completions": pod_set.count}
        if pod_set.ancestor in words.CONTAINER_OF_ANCESTOR:
            pod_set.replicated_job["replicas"] = 1
    spec = info.template["spec"]
    _keep_claims_changeable(spec)
    if not info.pod_sets:
        raise BuildError(f'{runtime["kind"]} "{runtime["metadata"]["name"]}" has no replicatedJobs')
    suspend = job["spec"].get("suspend")
    if suspend is not None:
        spec["suspend"] = suspend
    metadata = job["metadata"]
    job_set: Object = {
        "apiVersion": JOB_SETS.api_version,
        "kind": JOB_SETS.kind,
        "metadata": {
            "name": metadata["name"],
            "namespace": metadata["namespace"],
            **{
                field: info.template["metadata"][field]
                for field in ("labels", "annotations")
                if info.template["metadata"].get(field)
            },
            "ownerReferences": [controller_ref(job)],
        },
        "spec": spec,
    }
    return Built(companions, job_set, info)


def _keep_claims_changeable(spec: Object) -> None:
    """Write the default that the JobSet webhook gives, so that a later apply of the same runtime changes nothing.

    Upstream leaves it out, the immutable list then differs from what is stored, and such a TrainJob can be neither
    suspended nor resumed: all TorchTune runtimes are like that.
    """
    for policy in spec.get("volumeClaimPolicies") or ():
        policy["retentionPolicy"] = {"whenDeleted": "Delete", **(policy.get("retentionPolicy") or {})}


def _merge_job(info: RuntimeInfo, pod_set: PodSet) -> None:
    """The TrainJob's own fields into the container that stands for them."""
    if pod_set.ancestor == words.TRAINER:
        _merge_trainer(info, pod_set)
    elif pod_set.ancestor in _INITIALIZERS:
        _merge_initializer(info, pod_set)


def _merge_trainer(info: RuntimeInfo, pod_set: PodSet) -> None:
    trainer = info.trainer
    node = pod_set.container(words.NODE)
    if trainer is None or node is None:
        return
    if trainer.get("image") is not None:
        node["image"] = trainer["image"]
    for field in ("command", "args"):
        given = trainer.get(field)
        if given:
            node[field] = given
        elif given is not None:
            # An empty list clears what the runtime says; in the JobSet it is a field left out.
            node.pop(field, None)
    upsert.env(node, trainer.get("env") or ())


def _merge_initializer(info: RuntimeInfo, pod_set: PodSet) -> None:
    config = (info.job["spec"].get("initializer") or {}).get(_INITIALIZERS[pod_set.ancestor]) or {}
    container = pod_set.container(pod_set.ancestor)
    if container is None:
        return
    if config.get("storageUri") is not None:
        upsert.env(container, [{"name": local_source.STORAGE_URI, "value": config["storageUri"]}])
    upsert.env(container, config.get("env") or ())
    if config.get("secretRef"):
        container["envFrom"] = [*(container.get("envFrom") or ()), {"secretRef": config["secretRef"]}]
    local_source.mount(pod_set.pod_spec, container)
