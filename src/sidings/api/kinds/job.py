"""Job (batch/v1)."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.resources import JOBS

KIND = Kind(
    resource=JOBS,
    singular="job",
    schema=schemas.schema(JOBS.group, JOBS.version, JOBS.kind),
    builtin=True,
    categories=("all",),
    subresources=frozenset({"status"}),
    default_propagation="Orphan",
)
