"""What the validating webhook of JobSet refuses on update: changes of ``replicatedJobs`` and ``managedBy``.

While a JobSet is suspended, before or after the write, a queue may tell its pods where to run: some fields of the pod
templates are free then. Resuming and changing them in one write is therefore legal, as is suspending and changing them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sidings.api import fields, golang, objects
from sidings.api.fields import FieldError
from sidings.api.objects import Object

FREE_WHILE_SUSPENDED = {
    "metadata": ("labels", "annotations"),
    "spec": ("nodeSelector", "tolerations", "schedulingGates"),
}
"""Fields of a pod template."""
_MESSAGE = "field is immutable"


def errors(new: Object, old: Object) -> Iterator[FieldError]:
    """The broken rules of an update."""
    before, after = old["spec"], new["spec"]
    free = bool(before.get("suspend") or after.get("suspend"))
    if _fixed(after.get("replicatedJobs"), free) != _fixed(before.get("replicatedJobs"), free):
        yield fields.invalid("spec.replicatedJobs", golang.in_struct_order(after.get("replicatedJobs")), _MESSAGE)
    if after.get("managedBy") != before.get("managedBy"):
        yield fields.invalid("spec.managedBy", after.get("managedBy"), _MESSAGE)


def _fixed(replicated_jobs: Any, free: bool) -> list[Object]:
    """What must stay the same: without the free fields, and without what is empty, which Go does not tell apart."""
    fixed = objects.copy_of(replicated_jobs or [])
    if free:
        for replicated_job in fixed:
            template = replicated_job["template"]["spec"]["template"]
            for part, names in FREE_WHILE_SUSPENDED.items():
                for name in names:
                    (template.get(part) or {}).pop(name, None)
    return [_without_empty(replicated_job) for replicated_job in fixed]


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in kept.items() if item not in ({}, [], None, "")}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value
