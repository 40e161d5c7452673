"""Objects of situations in a line each: ``job: {name: j, pods: 2, cpu: 1}``. What is not a short form is a manifest.

A short form makes what a user would write; every other key of a job goes into its pods (``container``, ``pod``) or its
spec (``spec``), so that a case shows the one thing that is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sidings.api.objects import Object

NAMESPACE = "team"
QUEUE = "kueue.x-k8s.io/queue-name"
KUEUE = "kueue.x-k8s.io/v1beta2"
NAMES = {"gpu": "nvidia.com/gpu", "disk": "ephemeral-storage"}
Given = Mapping[str, Any]


def made(word: str, given: Given) -> Object:
    """The object of a short form."""
    return _FORMS[word](given)


def is_short(step: Given) -> bool:
    return len(step) == 1 and next(iter(step)) in _FORMS


def _named(api_version: str, kind: str, given: Given, default: str, spec: Object, *, namespaced: bool = True) -> Object:
    metadata: Object = {"name": given.get("name", default)}
    if namespaced:
        metadata["namespace"] = NAMESPACE
    for field in ("labels", "annotations"):
        if field in given:
            metadata[field] = dict(given[field])
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}


def amounts(given: Given) -> dict[str, str]:
    """``{cpu: 1, gpu: 2}`` with the names of resources in full."""
    return {
        NAMES.get(name, name): str(given[name]) for name in ("cpu", "memory", "gpu", "disk", "pods") if name in given
    }


def _queue(given: Given) -> Object:
    """A ClusterQueue with one group; ``flavors`` each have the same quota, ``limits`` are more fields of a quota."""
    quotas = [
        {"name": name, "nominalQuota": amount, **given.get("limits", {})} for name, amount in amounts(given).items()
    ]
    flavors = [{"name": flavor, "resources": quotas} for flavor in given.get("flavors", ["default"])]
    groups = [{"coveredResources": [quota["name"] for quota in quotas], "flavors": flavors}] if quotas else []
    spec = {"namespaceSelector": {}, "resourceGroups": groups, **given.get("spec", {})}
    return _named(KUEUE, "ClusterQueue", given, "cq", spec, namespaced=False)


def _local_queue(given: Given) -> Object:
    spec = {"clusterQueue": given.get("to", "cq"), **given.get("spec", {})}
    return _named(KUEUE, "LocalQueue", given, "lq", spec)


def _flavor(given: Given) -> Object:
    return _named(KUEUE, "ResourceFlavor", given, "default", dict(given.get("spec", {})), namespaced=False)


def _node(given: Given) -> Object:
    has = {"cpu": "4", "memory": "8Gi", "pods": "110", **amounts(given)}
    name = given.get("name", "n1")
    labels = {"kubernetes.io/hostname": name, **given.get("labels", {})}
    node = _named("v1", "Node", {**given, "labels": labels}, "n1", dict(given.get("spec", {})), namespaced=False)
    node["status"] = {
        "allocatable": has,
        "capacity": has,
        "conditions": [{"type": "Ready", "status": given.get("ready", "True")}],
    }
    return node


def _container(given: Given, name: str) -> Object:
    requests = amounts({key: value for key, value in given.items() if key != "pods"})
    limits = {name: amount for name, amount in requests.items() if "/" in name}
    limits |= amounts(given.get("limit", {}))
    resources = {word: value for word, value in (("requests", requests), ("limits", limits)) if value}
    container = {"name": name, "image": "i", "command": ["train"], **({"resources": resources} if resources else {})}
    return {**container, **given.get("container", {})}


def _pods(given: Given, name: str, **spec: Any) -> Object:
    template: Object = {"spec": {**spec, "containers": [_container(given, name)], **given.get("pod", {})}}
    if "pod_annotations" in given:
        template["metadata"] = {"annotations": dict(given["pod_annotations"])}
    return template


def _queued(given: Given) -> Given:
    """``queue: lq`` is a label."""
    return {**given, "labels": {**given.get("labels", {}), QUEUE: given["queue"]}} if "queue" in given else given


def _job(given: Given) -> Object:
    pods = given.get("pods", 1)
    spec = {
        "parallelism": pods,
        "completions": pods,
        "completionMode": "Indexed",
        "backoffLimit": 0,
        "template": _pods(given, "c", restartPolicy="Never"),
        **given.get("spec", {}),
    }
    return _named("batch/v1", "Job", _queued(given), "j", spec)


def _job_set(given: Given) -> Object:
    pods = given.get("pods", 1)
    job = {
        "parallelism": pods,
        "completions": pods,
        "backoffLimit": 0,
        "template": _pods(given, "c", restartPolicy="Never"),
        **given.get("job", {}),
    }
    job = {key: value for key, value in job.items() if value is not None}
    spec = {"replicatedJobs": [{"name": "main", "replicas": 1, "template": {"spec": job}}], **given.get("spec", {})}
    return _named("jobset.x-k8s.io/v1alpha2", "JobSet", _queued(given), "j", spec)


def _train_job(given: Given) -> Object:
    container = _container(given, "node")
    trainer = {"numNodes": given.get("pods", 1), "image": "i", "command": container["command"]}
    if "resources" in container:
        trainer["resourcesPerNode"] = container["resources"]
    trainer |= given.get("trainer", {})
    spec = {"runtimeRef": {"name": "torch-distributed"}, "trainer": trainer, **given.get("spec", {})}
    return _named("trainer.kubeflow.org/v1alpha1", "TrainJob", _queued(given), "j", spec)


def _pytorch_job(given: Given) -> Object:
    """One Master and ``workers`` Workers; ``master`` and ``worker`` say what only one of them has."""
    roles = {}
    for role, count in (("Master", 1), ("Worker", given.get("workers", 1))):
        own = {**given, **given.get(role.lower(), {})}
        roles[role] = {
            "replicas": count,
            "restartPolicy": given.get("restart", "Never"),
            "template": _pods(own, "pytorch"),
        }
    spec = {"pytorchReplicaSpecs": roles, **given.get("spec", {})}
    return _named("kubeflow.org/v1", "PyTorchJob", _queued(given), "j", spec)


_FORMS: Mapping[str, Callable[[Given], Object]] = {
    "queue": _queue,
    "local": _local_queue,
    "flavor": _flavor,
    "node": _node,
    "job": _job,
    "jobset": _job_set,
    "trainjob": _train_job,
    "pytorchjob": _pytorch_job,
}
