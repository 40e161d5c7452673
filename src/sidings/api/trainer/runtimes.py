"""Reading a runtime: which object a TrainJob refers to, and the parts of its template.

A TrainingRuntime and a ClusterTrainingRuntime have the same ``spec``: ``mlPolicy`` says how processes find each other,
``template`` is a JobSet without a name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api.objects import Object
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, TRAINING_RUNTIMES, Resource
from sidings.api.trainer import words

_BY_GROUP_KIND = {(r.group, r.kind): r for r in (TRAINING_RUNTIMES, CLUSTER_TRAINING_RUNTIMES)}


def group_kind_of(job: Mapping[str, Any]) -> str:
    """``ClusterTrainingRuntime.trainer.kubeflow.org``: the kind that a TrainJob refers to, as Go prints it."""
    ref = (job.get("spec") or {}).get("runtimeRef") or {}
    kind, group = ref.get("kind") or "", ref.get("apiGroup") or ""
    return f"{kind}.{group}" if group else kind


def resource_of(job: Mapping[str, Any]) -> Resource | None:
    """Where the runtime of ``job`` lives; None for a kind that is no runtime."""
    ref = (job.get("spec") or {}).get("runtimeRef") or {}
    return _BY_GROUP_KIND.get((ref.get("apiGroup") or "", ref.get("kind") or ""))


def ml_policy(runtime: Mapping[str, Any]) -> Object | None:
    policy: Object | None = (runtime.get("spec") or {}).get("mlPolicy")
    return policy


def template_of(runtime: Mapping[str, Any]) -> Object:
    """``{metadata, spec}`` of the JobSet."""
    return (runtime.get("spec") or {}).get("template") or {}


def replicated_jobs(template: Mapping[str, Any]) -> list[Object]:
    return (template.get("spec") or {}).get("replicatedJobs") or []


def ancestor_of(replicated_job: Mapping[str, Any]) -> str:
    """``trainer``, ``dataset-initializer``, ``model-initializer``, or ``""`` where the label is absent."""
    metadata = (replicated_job.get("template") or {}).get("metadata") or {}
    return str((metadata.get("labels") or {}).get(words.ANCESTOR_LABEL) or "")


def pod_spec_of(replicated_job: Mapping[str, Any]) -> Object:
    job_spec = (replicated_job.get("template") or {}).get("spec") or {}
    return (job_spec.get("template") or {}).get("spec") or {}


def containers_of(replicated_job: Mapping[str, Any]) -> list[Object]:
    return pod_spec_of(replicated_job).get("containers") or []


def init_containers_of(replicated_job: Mapping[str, Any]) -> list[Object]:
    return pod_spec_of(replicated_job).get("initContainers") or []


def named(items: list[Object], name: str) -> Object | None:
    for item in items:
        if item.get("name") == name:
            return item
    return None


def training_jobs(template: Mapping[str, Any]) -> Iterator[Object]:
    """The replicatedJobs that train: the one whose ancestor is ``trainer``, and one named ``node``."""
    for replicated_job in replicated_jobs(template):
        if ancestor_of(replicated_job) == words.TRAINER or replicated_job.get("name") == words.NODE:
            yield replicated_job
