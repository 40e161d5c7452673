"""Where a job says that it is suspended: one field of spec, for jobs of the Training Operator one of its run policy."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.api.training_operator import framework


def is_suspended(root: Object) -> bool:
    """Whether the job is asked to have no pods."""
    spec = root["spec"]
    where = spec.get("runPolicy") or {} if framework.of_object(root) else spec
    return bool(where.get("suspend"))


def change(root: Object, suspend: bool) -> Object:
    """The merge patch that suspends or resumes the job."""
    field = {"suspend": suspend}
    return {"spec": {"runPolicy": field} if framework.of_object(root) else field}
