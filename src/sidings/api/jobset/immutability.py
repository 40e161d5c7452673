"""What the validating webhook of JobSet refuses on update: changes of ``replicatedJobs`` and ``managedBy``.

While a JobSet is suspended, before or after the write, a queue may tell its pods where to run: some fields of the pod
templates are free then. Resuming and changing them in one write is therefore legal, as is suspending and changing them.
With the gate ElasticJobSet the size of Indexed Jobs is free too, within the rules of ``elastic``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sidings.api import fields, golang, objects
from sidings.api.equality import semantically_equal
from sidings.api.feature_gates import NONE, FeatureGates, Gate
from sidings.api.fields import FieldError
from sidings.api.jobset import elastic
from sidings.api.objects import Object

FREE_WHILE_SUSPENDED = {
    "metadata": ("labels", "annotations"),
    "spec": ("nodeSelector", "tolerations", "schedulingGates"),
}
"""Fields of a pod template."""
_MESSAGE = "field is immutable"


def errors(new: Object, old: Object, gates: FeatureGates = NONE) -> Iterator[FieldError]:
    """The broken rules of an update, where ``gates`` are on."""
    before, after = old["spec"], new["spec"]
    free = bool(before.get("suspend") or after.get("suspend"))
    is_elastic = Gate.ELASTIC_JOB_SET in gates
    if is_elastic:
        yield from elastic.errors(new, old)
    if not semantically_equal(_fixed(after, free, is_elastic), _fixed(before, free, is_elastic)):
        yield fields.invalid("spec.replicatedJobs", golang.in_struct_order(after.get("replicatedJobs")), _MESSAGE)
    if after.get("managedBy") != before.get("managedBy"):
        yield fields.invalid("spec.managedBy", after.get("managedBy"), _MESSAGE)


def _fixed(spec: Object, free: bool, is_elastic: bool) -> list[Object]:
    """The replicated jobs without the fields that are free."""
    fixed: list[Object] = objects.copy_of(spec.get("replicatedJobs") or [])
    if free:
        for replicated_job in fixed:
            template = elastic.job_spec_of(replicated_job).get("template") or {}
            for part, names in FREE_WHILE_SUSPENDED.items():
                for name in names:
                    (template.get(part) or {}).pop(name, None)
    for replicated_job in fixed if is_elastic else ():
        if elastic.is_elastic(replicated_job):
            for name in elastic.SIZE:
                elastic.job_spec_of(replicated_job).pop(name, None)
    return fixed
