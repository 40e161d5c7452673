"""A runtime on its own: what the validating webhook for TrainingRuntime and ClusterTrainingRuntime refuses (2.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.objects import labels_of
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.encoding import encoded_template

VALIDATION_LABEL = "trainer.kubeflow.org/webhook-validation"
"""``disabled`` on a runtime keeps the webhook from looking at it."""
DEPRECATION = (
    '{subject} "{name}" is deprecated and will be removed in a future release of Kubeflow Trainer. See runtime '
    "deprecation policy: https://trainer.kubeflow.org/en/latest/operator-guides/runtime.html#runtime-deprecation-policy"
)


def check(runtime: Mapping[str, Any]) -> Iterator[FieldError]:
    """Each replicatedJob that a part of a TrainJob is merged into has one replica and the container for it."""
    if labels_of(runtime).get(VALIDATION_LABEL) == "disabled":
        return
    template = encoded_template(runtimes.template_of(runtime))
    for index, replicated_job in enumerate(runtimes.replicated_jobs(template)):
        ancestor = runtimes.ancestor_of(replicated_job)
        if ancestor not in words.CONTAINER_OF_ANCESTOR:
            continue
        path = f"spec.template.spec.replicatedJobs[{index}]"
        replicas = replicated_job.get("replicas", 1)
        if replicas != 1:
            yield fields.invalid(f"{path}.replicas", replicas, "always must be 1")
        containers = runtimes.containers_of(replicated_job)
        if runtimes.named(containers, words.CONTAINER_OF_ANCESTOR[ancestor]) is None:
            yield fields.invalid(
                f"{path}.template.spec.template.spec.containers",
                in_struct_order(containers),
                f"must contain the required container for the ancestor: {ancestor}",
            )


def deprecation(runtime: Mapping[str, Any], subject: str) -> str:
    """The warning about a deprecated runtime, ``""`` for any other; ``subject`` begins the sentence."""
    if labels_of(runtime).get(words.SUPPORT_LABEL) != words.DEPRECATED:
        return ""
    return DEPRECATION.format(subject=subject, name=runtime["metadata"]["name"])
