"""A TrainJob with an initializer needs a runtime that has the job, the container and the shared volume for it."""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.trainer import runtimes, words
from sidings.api.trainer.rules.request import Request

_CONFIG = {"dataset": ("datasetConfig", words.DATASET_INITIALIZER), "model": ("modelConfig", words.MODEL_INITIALIZER)}


def check(request: Request) -> Iterator[FieldError]:
    initializer = request.spec.get("initializer") or {}
    for field, (config, name) in _CONFIG.items():
        if initializer.get(field) is None:
            continue
        if detail := _missing(request, config, name):
            yield fields.invalid("spec.runtimeRef", request.shown_runtime_ref, detail)


def _missing(request: Request, config: str, name: str) -> str:
    """What the runtime lacks for initializer ``name``; ``""`` if it has all."""
    replicated_job = runtimes.named(runtimes.replicated_jobs(request.template), name)
    if replicated_job is None:
        return f"must have {name} job when trainJob is configured with input {config}"
    container = runtimes.named(runtimes.containers_of(replicated_job), name)
    if container is None:
        return f"must have container with name - {name} in the {name} job"
    if runtimes.named(container.get("volumeMounts") or [], words.INITIALIZER_VOLUME) is None:
        return f"must have volumeMount with name - {words.INITIALIZER_VOLUME} in container {name} of the {name} job"
    return ""
