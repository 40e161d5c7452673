"""What the validating webhook of JobSet refuses on update: changes of ``replicatedJobs`` and ``managedBy``.

While a JobSet is suspended, before or after the write, a queue may tell its pods where to run: some fields of the pod
templates are free then. Resuming and changing them in one write is therefore legal, as is suspending and changing them.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields, golang, objects
from sidings.api.equality import semantically_equal
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
    if not semantically_equal(_fixed(after, free), _fixed(before, free)):
        yield fields.invalid("spec.replicatedJobs", golang.in_struct_order(after.get("replicatedJobs")), _MESSAGE)
    if after.get("managedBy") != before.get("managedBy"):
        yield fields.invalid("spec.managedBy", after.get("managedBy"), _MESSAGE)


def _fixed(spec: Object, free: bool) -> list[Object]:
    """The replicated jobs without the fields that are free."""
    fixed: list[Object] = objects.copy_of(spec.get("replicatedJobs") or [])
    if free:
        for replicated_job in fixed:
            template = replicated_job["template"]["spec"]["template"]
            for part, names in FREE_WHILE_SUSPENDED.items():
                for name in names:
                    (template.get(part) or {}).pop(name, None)
    return fixed
