"""What Kueue's webhooks add to a job and refuse of it, by kind (pkg/controller/jobframework, Kueue v0.19)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sidings.api import names
from sidings.api.fields import FieldError, invalid
from sidings.api.kueue import keys, topology_annotations
from sidings.api.objects import Object, annotations_of, labels_of
from sidings.api.resources import JOB_SETS, JOBS, TRAIN_JOBS, Resource
from sidings.api.training_operator import framework

WEBHOOKS: Mapping[Resource, str] = {
    JOBS: "job",
    JOB_SETS: "jobset",
    TRAIN_JOBS: "trainjob",
    **{of.resource: of.singular for of in framework.ALL},
}
"""The kinds that can be queued, and how their webhooks are called: ``mjob.kb.io``, ``vjob.kb.io``."""

_FRAMEWORKS = {of.resource: of for of in framework.ALL}

IMMUTABLE = "field is immutable"
NO_QUEUE = "queue-name must not be empty in namespace with default queue"
NOT_POSITIVE = "should be greater than 0"
CANNOT_BE_ADDED = "WorkloadPriorityClass cannot be added to a non-suspended workload"
CANNOT_BE_REMOVED = "WorkloadPriorityClass cannot be removed from a non-suspended workload"
NO_PATCH: Object = {"template": {"spec": {}}}
"""What a TrainJob's patch in Kueue's name says while it is not admitted."""


def is_suspended(resource: Resource, job: Object) -> bool:
    holder = job["spec"] if resource in (JOBS, JOB_SETS, TRAIN_JOBS) else job["spec"].get("runPolicy") or {}
    return bool(holder.get("suspend"))


def hold(resource: Resource, job: Object) -> None:
    """Suspend ``job``, which changes; a TrainJob gets an empty patch in Kueue's name.

    Templates of ``kubeflow.org/v1`` get metadata, because upstream's webhook writes them as Go has them.
    """
    if resource in (JOBS, JOB_SETS, TRAIN_JOBS):
        job["spec"]["suspend"] = True
    else:
        job["spec"].setdefault("runPolicy", {})["suspend"] = True
        for replicas in (job["spec"].get(_FRAMEWORKS[resource].replica_specs) or {}).values():
            replicas.setdefault("template", {}).setdefault("metadata", {})
    if resource == TRAIN_JOBS:
        patches = job["spec"].setdefault("runtimePatches", [])
        if not any(entry.get("manager") == keys.MANAGER for entry in patches):
            patches.append({"manager": keys.MANAGER, "trainingRuntimeSpec": {"template": {"spec": {}}}})


def errors(resource: Resource, job: Object) -> Iterator[FieldError]:
    """The refusals of a job as such."""
    labels = labels_of(job)
    for key in (keys.QUEUE_NAME, keys.PREBUILT_WORKLOAD):
        if labels.get(key):
            for complaint in names.dns1123_subdomain(labels[key]):
                yield invalid(_label(key), labels[key], complaint)
    if keys.MAX_EXECUTION_SECONDS in labels:
        yield from _positive(labels[keys.MAX_EXECUTION_SECONDS])
    if resource == JOBS and keys.MIN_PARALLELISM in annotations_of(job):
        yield from _minimum(job, annotations_of(job)[keys.MIN_PARALLELISM])
    if resource == JOBS and keys.COMPLETIONS_EQUAL_PARALLELISM in annotations_of(job):
        yield from _equal_completions(job, annotations_of(job)[keys.COMPLETIONS_EQUAL_PARALLELISM])
    for path, template in _templates(resource, job):
        yield from topology_annotations.errors(annotations_of(template), f"{path}.metadata.annotations")


def update_errors(resource: Resource, new: Object, old: Object, *, has_default: bool) -> Iterator[FieldError]:
    """What may not change while the job runs, and that a job of a namespace with a default queue leaves no queue."""
    before, after = labels_of(old), labels_of(new)
    if has_default and before.get(keys.QUEUE_NAME) and not after.get(keys.QUEUE_NAME):
        yield invalid(_label(keys.QUEUE_NAME), "", NO_QUEUE)
    if is_suspended(resource, new):
        return
    for key in (keys.QUEUE_NAME, keys.PREBUILT_WORKLOAD, keys.MAX_EXECUTION_SECONDS):
        if before.get(key) != after.get(key):
            yield invalid(_label(key), after.get(key) or "", IMMUTABLE)
    if after.get(keys.PRIORITY_CLASS) and not before.get(keys.PRIORITY_CLASS):
        yield invalid(_label(keys.PRIORITY_CLASS), after[keys.PRIORITY_CLASS], CANNOT_BE_ADDED)
    if before.get(keys.PRIORITY_CLASS) and not after.get(keys.PRIORITY_CLASS):
        yield invalid(_label(keys.PRIORITY_CLASS), "", CANNOT_BE_REMOVED)
    if resource == JOBS and keys.MIN_PARALLELISM in annotations_of(new):
        path, count = "spec.parallelism", new["spec"].get("parallelism")
        if not is_suspended(resource, old) and count != old["spec"].get("parallelism"):
            yield invalid(path, count, "cannot change when partial admission is enabled and the job is not suspended")


def _templates(resource: Resource, job: Object) -> Iterator[tuple[str, Object]]:
    """(path, pod template); a TrainJob's come from its runtime, and are judged with the JobSet that it becomes."""
    if resource == JOBS:
        yield "spec.template", job["spec"]["template"]
    elif resource == JOB_SETS:
        for number, of in enumerate(job["spec"].get("replicatedJobs") or ()):
            yield f"spec.replicatedJobs[{number}].template.spec.template", of["template"]["spec"]["template"]
    elif resource in _FRAMEWORKS:
        by = _FRAMEWORKS[resource]
        for role, of in by.roles_of(job):
            yield f"spec.{by.replica_specs}[{role}].template", of.get("template") or {}


def _label(key: str) -> str:
    return f"metadata.labels[{key}]"


def _positive(text: str) -> Iterator[FieldError]:
    path = _label(keys.MAX_EXECUTION_SECONDS)
    try:
        value = int(text)
    except ValueError:
        yield invalid(path, text, f'strconv.Atoi: parsing "{text}": invalid syntax')
    else:
        if value <= 0:
            yield invalid(path, value, NOT_POSITIVE)


def _equal_completions(job: Object, text: str) -> Iterator[FieldError]:
    """Only an Indexed Job may change its completions, and only together with its parallelism."""
    path = f"metadata.annotations[{keys.COMPLETIONS_EQUAL_PARALLELISM}]"
    if text not in ("true", "false"):
        yield invalid(path, text, f'strconv.ParseBool: parsing "{text}": invalid syntax')
    elif text == "true" and job["spec"].get("completionMode") != "Indexed":
        yield invalid(path, text, "should not be enabled for NonIndexed jobs")
    elif text == "true" and job["spec"].get("completions") != job["spec"].get("parallelism"):
        yield invalid(path, text, "should not be enabled when completions and parallelism differ")


def _minimum(job: Object, text: str) -> Iterator[FieldError]:
    path = f"metadata.annotations[{keys.MIN_PARALLELISM}]"
    parallelism = job["spec"].get("parallelism")
    most = 1 if parallelism is None else parallelism
    try:
        value = int(text)
    except ValueError:
        yield invalid(path, text, f'strconv.Atoi: parsing "{text}": invalid syntax')
    else:
        if not 0 < value < most:
            yield invalid(path, value, f"should be between 0 and {most - 1}")
