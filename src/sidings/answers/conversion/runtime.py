"""The TrainingRuntime that a converted job needs when its pods say more than a TrainJob can."""

from __future__ import annotations

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


def build(name: str, namespace: str, framework: str, template: Object, main: Object, limits: Limits) -> Object:
    """A runtime of one replicated job ``node`` with everything of the old pod template."""
    pod: Any = objects.copy_of(template)
    containers = [container for container in template["spec"]["containers"] if container is not main]
    node = {key: value for key, value in main.items() if key not in IN_TRAIN_JOB} | {
        "name": words.NODE,
        "image": main["image"],
    }
    pod["spec"]["containers"] = objects.copy_of([node, *containers])
    pod["spec"].pop("restartPolicy", None)
    pod["spec"] |= limits.pod
    node_job = {
        "name": words.NODE,
        "template": {
            "metadata": {"labels": {words.ANCESTOR_LABEL: words.TRAINER}},
            "spec": {**limits.job, "template": pod},
        },
    }
    return {
        "apiVersion": TRAINING_RUNTIMES.api_version,
        "kind": TRAINING_RUNTIMES.kind,
        "metadata": {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "labels": {words.FRAMEWORK_LABEL: framework},
        },
        "spec": {
            "mlPolicy": {"numNodes": 1, framework: {}},
            "template": {"spec": {**limits.job_set, "replicatedJobs": [node_job]}},
        },
    }
