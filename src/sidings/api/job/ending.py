"""Whether a Job is on its way to an end: since Kubernetes 1.31 its pods stop first, and the final condition follows."""

from __future__ import annotations

from sidings.api import conditions
from sidings.api.objects import Object


def is_failing(job: Object) -> bool:
    """Whether it has failed and is not Failed yet, because pods of it still stop."""
    return conditions.is_true(job, "FailureTarget") and not conditions.is_true(job, "Failed")
