"""AdmissionCheck: something beside quota that must agree before a workload starts."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import admission_check, versions
from sidings.api.resources import ADMISSION_CHECKS

SCHEMA = schemas.schema(ADMISSION_CHECKS.group, ADMISSION_CHECKS.version, ADMISSION_CHECKS.kind)

KIND = Kind(
    resource=ADMISSION_CHECKS,
    singular="admissioncheck",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("ac",),
    subresources=frozenset({"status"}),
    columns=(columns.NAME, columns.DATE_AGE),
)
KINDS = (KIND, versions.view(KIND, admission_check.to_stored))
