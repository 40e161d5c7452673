"""The TrainingRuntime that a converted job needs when its pods say more than a TrainJob can."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sidings.answers.conversion.run_policy import Limits
from sidings.api import objects
from sidings.api.objects import Object
from sidings.api.resources import TRAINING_RUNTIMES
from sidings.api.trainer import words

IN_TRAIN_JOB = ("image", "command", "args", "env", "resources")
"""Fields of the main container that the TrainJob carries itself."""


def is_needed(template: Object, main: Object, limits: Limits) -> bool:
    """Whether anything is left that the shared runtime would not have."""
    spec = {key: value for key, value in template["spec"].items() if key not in ("containers", "restartPolicy")}
    metadata = template.get("metadata") or {}
    more = {key: value for key, value in main.items() if key not in (*IN_TRAIN_JOB, "name") and value}
    others = len(template["spec"]["containers"]) > 1
    return any((spec, metadata, more, others, limits.job_set, limits.job, limits.pod))


def build(job: Object, framework: str, policy: Object, job_set: Object, parts: Sequence[Object]) -> Object:
    """The runtime of the old ``job``; ``parts`` are its replicatedJobs, ``job_set`` further fields of the JobSet."""
    old = job["metadata"]
    return {
        "apiVersion": TRAINING_RUNTIMES.api_version,
        "kind": TRAINING_RUNTIMES.kind,
        "metadata": {
            "name": old["name"],
            **({"namespace": old["namespace"]} if old.get("namespace") else {}),
            "labels": {words.FRAMEWORK_LABEL: framework},
        },
        "spec": {"mlPolicy": policy, "template": {"spec": {**job_set, "replicatedJobs": list(parts)}}},
    }


def part(name: str, template: Object, main: Object, limits: Limits, *, trains: bool) -> Object:
    """A replicatedJob of the old pod ``template``, whose container ``main`` has the name that Trainer wants.

    ``trains``: it is the part that the TrainJob's own fields go to.
    """
    pod: Any = objects.copy_of(template)
    pod["spec"]["containers"] = [
        _renamed(container) if container == main else container for container in pod["spec"]["containers"]
    ]
    pod["spec"].pop("restartPolicy", None)
    pod["spec"] |= limits.pod
    ancestor = {"metadata": {"labels": {words.ANCESTOR_LABEL: words.TRAINER}}} if trains else {}
    return {"name": name, "template": {**ancestor, "spec": {**limits.job, "template": pod}}}


def without(main: Object) -> Object:
    """``main`` as it is in a runtime whose TrainJob says the rest; an image has to be there."""
    return {key: value for key, value in main.items() if key not in IN_TRAIN_JOB} | {"image": main["image"]}


def _renamed(container: Object) -> Object:
    """Ports without a name get one: Trainer takes two of those for the same (kubeflow/trainer#3925)."""
    ports = [{"name": f"port-{port['containerPort']}", **port} for port in container.get("ports") or ()]
    return {**container, "name": words.NODE, **({"ports": ports} if ports else {})}
