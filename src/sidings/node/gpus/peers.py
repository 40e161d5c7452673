"""Whether a pod with GPUs can have peers: other pods of its job with GPUs of their own.

Pods of a gang see all GPUs of the machine, because the devices of pods that start later are not known when the first
one starts (``manager.device_files``). A pod that is its job's only one with GPUs needs none but its own. What the job's
templates say counts, not which pods there are: that would change while a gang starts. Where a job cannot be counted,
its pods are taken for a gang, because a gang without its peers' devices crashes and a lone pod with them does not.

A job that is made larger while it runs leaves its first pod as it was: without ``NCCL_HOSTID`` NCCL takes it for a host
of its own and reaches it over the network. ``gang_links`` says what peers get.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api.job.size import pods_at_once
from sidings.api.jobset.labels import JOBSET_NAME
from sidings.api.objects import Object, controller_of, labels_of, namespace_of
from sidings.api.resources import JOB_SETS, JOBS, Resource
from sidings.api.status import NotFound
from sidings.api.training_operator import defaults, framework
from sidings.client.interface import Client
from sidings.node.gpus.resources import wanted

_RESOURCES = (JOBS, *(of.resource for of in framework.ALL))


async def can_have_peers(client: Client, pod: Object) -> bool:
    """Whether the job of ``pod``, which has GPUs and belongs to one, can have another pod with GPUs beside it."""
    job = _job(pod)
    if job is None:
        return True
    resource, name = job
    try:
        return gpu_pods(await client.get(resource, name, namespace_of(pod))) != 1
    except NotFound:
        return True


def gpu_pods(job: Object) -> int | None:
    """How many pods with GPUs the templates of a Job, a JobSet or a job of the Training Operator ask for at once.

    None where that is not settled: an elastic PyTorchJob grows while it runs. 0 where GPUs are given to the pods
    otherwise than by the templates, as a LimitRange's defaults are.
    """
    if job["spec"].get("elasticPolicy") is not None:
        return None
    return sum(pods for pods, template in _parts(job) if _asks_for_gpus(template))


def _job(pod: Object) -> tuple[Resource, str] | None:
    """Kind and name of what decides how many pods there are; None for kinds whose size is not known here."""
    if name := labels_of(pod).get(JOBSET_NAME):
        return JOB_SETS, name
    owner = controller_of(pod) or {}
    kind = (owner.get("apiVersion"), owner.get("kind"))
    return next(((of, owner["name"]) for of in _RESOURCES if (of.api_version, of.kind) == kind), None)


def _parts(job: Object) -> Iterator[tuple[int, Object]]:
    """(pods at once, their template) of each part of ``job``."""
    spec = job["spec"]
    if of := framework.of_object(job):
        for role, replica in of.roles_of(job):
            yield defaults.pods_of(of, role, replica), replica["template"]
    elif job["kind"] == JOB_SETS.kind:
        for group in spec.get("replicatedJobs") or ():
            job_spec = group["template"]["spec"]
            yield int(group.get("replicas", 1)) * pods_at_once(job_spec), job_spec["template"]
    else:
        yield pods_at_once(spec), spec["template"]


def _asks_for_gpus(template: Object) -> bool:
    spec = template["spec"]
    return any(wanted(container) for container in (*(spec.get("initContainers") or ()), *spec["containers"]))
