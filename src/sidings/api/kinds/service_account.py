"""ServiceAccount: who a pod is towards the API."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.kinds import columns
from sidings.api.resources import SERVICE_ACCOUNTS

KIND = Kind(
    resource=SERVICE_ACCOUNTS,
    singular="serviceaccount",
    schema=schemas.schema(SERVICE_ACCOUNTS.group, SERVICE_ACCOUNTS.version, SERVICE_ACCOUNTS.kind),
    builtin=True,
    short_names=("sa",),
    subresources=frozenset({"token"}),
    columns=(columns.NAME, columns.AGE),
    generation=False,
)
