"""Objects that the tests of TrainJobs start from, each as small as it can be."""

from __future__ import annotations

from typing import Any

from sidings.api.objects import Object
from sidings.api.trainer import words

NAMESPACE = "team"


def replicated_job(
    name: str = "node",
    *,
    ancestor: str = "",
    container: str = "node",
    pod_spec: Object | None = None,
    job_spec: Object | None = None,
    **container_fields: Any,
) -> Object:
    """A replicatedJob with one container, and what is given on top."""
    template: Object = {"spec": {**(job_spec or {})}}
    if ancestor:
        template["metadata"] = {"labels": {words.ANCESTOR_LABEL: ancestor}}
    containers = [{"name": container, "image": "img:1", **container_fields}]
    template["spec"]["template"] = {"spec": {"containers": containers, **(pod_spec or {})}}
    return {"name": name, "template": template}


def trainer_job(name: str = "node", **fields: Any) -> Object:
    """The replicatedJob that a TrainJob's trainer is merged into."""
    return replicated_job(name, ancestor=words.TRAINER, **fields)


def initializer_job(name: str, **fields: Any) -> Object:
    mount = {"name": words.INITIALIZER_VOLUME, "mountPath": "/workspace"}
    return replicated_job(name, ancestor=name, **{"container": name, "volumeMounts": [mount], **fields})


def runtime(
    *replicated_jobs: Object,
    policy: Object | None = None,
    name: str = "rt",
    metadata: Object | None = None,
    **spec: Any,
) -> Object:
    """A TrainingRuntime; with no replicatedJobs given, one ``node`` that trains. ``spec`` is the JobSet's."""
    template: Object = {"spec": {"replicatedJobs": list(replicated_jobs) or [trainer_job()], **spec}}
    if metadata:
        template["metadata"] = metadata
    runtime_spec: Object = {"template": template}
    if policy is not None:
        runtime_spec["mlPolicy"] = policy
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": runtime_spec,
    }


def train_job(trainer: Object | None = None, *, name: str = "tj", runtime_name: str = "rt", **spec: Any) -> Object:
    """A TrainJob of :func:`runtime`, as it is after defaulting; ``spec`` holds further fields."""
    job_spec: Object = {
        "runtimeRef": {"apiGroup": "trainer.kubeflow.org", "kind": "TrainingRuntime", "name": runtime_name},
        "suspend": False,
        "managedBy": words.BUILTIN_CONTROLLER,
        **spec,
    }
    if trainer is not None:
        job_spec["trainer"] = trainer
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {
            "name": name,
            "namespace": NAMESPACE,
            "uid": f"uid-of-{name}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": job_spec,
    }


def patch(*replicated_jobs: Object, manager: str = "a.io/m", metadata: Object | None = None) -> Object:
    """An item of ``spec.runtimePatches``."""
    template: Object = {"spec": {"replicatedJobs": list(replicated_jobs)}} if replicated_jobs else {}
    if metadata:
        template["metadata"] = metadata
    return {"manager": manager, "trainingRuntimeSpec": {"template": template}}


def pod_patch(pod_spec: Object, *, job: str = "node") -> Object:
    """A patch of one replicatedJob's pod spec, for :func:`patch`."""
    return {"name": job, "template": {"spec": {"template": {"spec": pod_spec}}}}
