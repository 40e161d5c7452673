"""WorkloadPriorityClass: a priority in the queue that does not concern pods."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import versions
from sidings.api.resources import WORKLOAD_PRIORITY_CLASSES

SCHEMA = schemas.schema(
    WORKLOAD_PRIORITY_CLASSES.group, WORKLOAD_PRIORITY_CLASSES.version, WORKLOAD_PRIORITY_CLASSES.kind
)

KIND = Kind(
    resource=WORKLOAD_PRIORITY_CLASSES,
    singular="workloadpriorityclass",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("wpc",),
    columns=(
        columns.NAME,
        Column("Value", "integer", ".value", description="Value of workloadPriorityClass's Priority"),
    ),
)
KINDS = (KIND, versions.view(KIND))
