"""``runtimePatches`` (Trainer 2.2+): who may patch what, and when.

Upstream means to refuse a patch of a replicatedJob or container that the runtime does not have, but looks for it in
the patched template, where it always is (recorded: such a TrainJob is accepted and its JobSet or Job is refused
later). So there is no such rule here.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import domain_prefixed, fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.trainer import overrides, runtimes, words
from sidings.api.trainer.rules.request import Request

FIELD = "spec.runtimePatches"
RESERVED_CONTAINERS = frozenset({words.DATASET_INITIALIZER, words.MODEL_INITIALIZER, words.NODE})
NO_ENVS = "must not have envs for the dataset-initializer, model-initializer, node containers"
ONLY_SUSPENDED = "RuntimePatches can only be modified when the TrainJob is suspended before or after the update"


def check(request: Request) -> Iterator[FieldError]:
    patches = request.spec.get("runtimePatches") or []
    for patch in patches:
        yield from domain_prefixed.errors(patch["manager"], f"{FIELD}.manager")
    for patch in overrides.patches_of({"spec": {"runtimePatches": patches}}):
        for replicated_job in runtimes.replicated_jobs(patch):
            if sets_reserved_env(runtimes.containers_of(replicated_job)):
                yield fields.invalid(FIELD, in_struct_order(patches), NO_ENVS)
    yield from _check_change(request)


def sets_reserved_env(containers: list[dict[str, object]]) -> bool:
    """Whether a patch of ``containers`` sets env of one that TrainJob's own fields configure."""
    return any(container.get("name") in RESERVED_CONTAINERS and container.get("env") for container in containers)


def _check_change(request: Request) -> Iterator[FieldError]:
    if request.old is None:
        return
    before = request.old.get("spec") or {}
    if (before.get("runtimePatches") or []) == (request.spec.get("runtimePatches") or []):
        return
    if not before.get("suspend") and not request.spec.get("suspend"):
        yield fields.forbidden(FIELD, ONLY_SUSPENDED)
        return
    yield from active_jobs(request, FIELD, "RuntimePatches")


def active_jobs(request: Request, field: str, what: str) -> Iterator[FieldError]:
    """A changed override cannot reach pods that run: one error per replicatedJob that is still active."""
    status = (request.job_set or {}).get("status") or {}
    for replicated_job in status.get("replicatedJobsStatus") or ():
        if replicated_job.get("active"):
            name = replicated_job["name"]
            yield fields.forbidden(
                field, f"{what} cannot be modified when the JobSet's ReplicatedJob {name} is still active"
            )
