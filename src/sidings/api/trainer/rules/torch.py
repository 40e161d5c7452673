"""Runtimes with ``mlPolicy.torch``: reserved env, the process count's words, envInjection targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.trainer import processes, runtimes, words
from sidings.api.trainer.generation import Generation
from sidings.api.trainer.rules.request import Request


def check(request: Request) -> Iterator[FieldError]:
    if request.policy.get("torch") is None:
        return
    yield from _check_process_count(request)
    # Trainer 2.0 and 2.1 look at the env only beside a process count.
    if request.generation is Generation.V2_3 or request.trainer.get("numProcPerNode") is not None:
        yield from reserved_env(request, words.TORCH_ENV)
    yield from _check_injection(request)


def reserved_env(request: Request, reserved: Sequence[str]) -> Iterator[FieldError]:
    """One error that lists all of ``reserved`` that ``trainer.env`` sets, in Go's slice notation."""
    taken = sorted(set(request.env_names) & set(reserved))
    if taken:
        detail = f"must not have reserved envs, invalid envs configured: [{' '.join(taken)}]"
        yield fields.invalid("spec.trainer.env", in_struct_order(request.trainer["env"]), detail)


def _check_process_count(request: Request) -> Iterator[FieldError]:
    count = request.trainer.get("numProcPerNode")
    if isinstance(count, str) and not processes.is_valid_word(count):
        yield fields.invalid("spec.trainer.numProcPerNode", count, "must have an int value or [auto cpu gpu]")


def _check_injection(request: Request) -> Iterator[FieldError]:
    injection = request.policy["torch"].get("envInjection") or {}
    for target in injection.get("targets") or ():
        for container in target.get("containerNames") or ():
            if detail := missing_target(request.template, target["jobName"], container):
                yield fields.invalid("spec.runtimeRef", in_struct_order(target), detail)


def missing_target(template: dict[str, object], job_name: str, container: str) -> str:
    """Why ``container`` of replicatedJob ``job_name`` cannot be given the env; ``""`` if it can."""
    replicated_job = runtimes.named(runtimes.replicated_jobs(template), job_name)
    if replicated_job is not None:
        candidates = runtimes.containers_of(replicated_job) + runtimes.init_containers_of(replicated_job)
        if runtimes.named(candidates, container) is not None:
            return ""
    return f'envInjection target podSet "{job_name}" container "{container}" not found in runtime template'
