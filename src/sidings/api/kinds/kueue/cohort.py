"""Cohort: ClusterQueues that lend to each other, and quota that they share."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import versions
from sidings.api.resources import COHORTS

SCHEMA = schemas.schema(COHORTS.group, COHORTS.version, COHORTS.kind)

KIND = Kind(
    resource=COHORTS,
    singular="cohort",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("co",),
    subresources=frozenset({"status"}),
    columns=(columns.NAME, columns.DATE_AGE),
)
KINDS = (KIND, versions.view(KIND))
