"""``podTemplateOverrides`` (Trainer 2.1, OpenShift AI to 3.5) and ``podSpecOverrides`` (2.0)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sidings.api import fields
from sidings.api.fields import FieldError
from sidings.api.golang import in_struct_order
from sidings.api.objects import Object
from sidings.api.trainer import runtimes
from sidings.api.trainer.rules.patches import NO_ENVS, active_jobs, sets_reserved_env
from sidings.api.trainer.rules.request import Request


class _Form(NamedTuple):
    """One of the two spellings: its field, its name in messages, whether the pod spec is in ``spec``."""

    field: str
    what: str
    nested: bool


_FORMS = (
    _Form("podTemplateOverrides", "PodTemplateOverrides", True),
    _Form("podSpecOverrides", "PodSpecOverrides", False),
)


def check(request: Request) -> Iterator[FieldError]:
    for form in _FORMS:
        yield from _check_content(request, form)
        yield from _check_change(request, form)


def _check_content(request: Request, form: _Form) -> Iterator[FieldError]:
    path = f"spec.{form.field}"
    existing = runtimes.replicated_jobs(runtimes.template_of(request.runtime))
    overrides = request.spec.get(form.field) or []
    shown = in_struct_order(overrides)
    seen: set[str] = set()
    for override in overrides:
        pod_spec = (override.get("spec") or {}) if form.nested else override
        for target in override.get("targetJobs") or ():
            name = target.get("name") or ""
            if not form.nested and name in seen:
                yield fields.duplicate(path, name)
            seen.add(name)
            replicated_job = runtimes.named(existing, name)
            if replicated_job is None:
                yield fields.invalid(
                    path, shown, "must not have targetJob that doesn't exist in the runtime job template"
                )
                continue
            for detail in _unknown_containers(pod_spec, replicated_job):
                yield fields.invalid(path, shown, detail)
        if sets_reserved_env(pod_spec.get("containers") or []):
            yield fields.invalid(path, shown, NO_ENVS)


def _unknown_containers(pod_spec: Object, replicated_job: Object) -> Iterator[str]:
    for field, word, existing in (
        ("initContainers", "initContainer", runtimes.init_containers_of(replicated_job)),
        ("containers", "container", runtimes.containers_of(replicated_job)),
    ):
        for container in pod_spec.get(field) or ():
            if runtimes.named(existing, container.get("name") or "") is None:
                yield f"must not have {word} that doesn't exist in the runtime job {replicated_job['name']}"


def _check_change(request: Request, form: _Form) -> Iterator[FieldError]:
    if request.old is None:
        return
    if ((request.old.get("spec") or {}).get(form.field) or []) == (request.spec.get(form.field) or []):
        return
    path = f"spec.{form.field}"
    if not request.spec.get("suspend"):
        yield fields.forbidden(path, f"{form.what} can only be modified when the TrainJob is suspended")
        return
    yield from active_jobs(request, path, form.what)
