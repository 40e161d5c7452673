"""ResourceFlavor: nodes of one sort, as queues name them."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import versions
from sidings.api.resources import RESOURCE_FLAVORS

SCHEMA = schemas.schema(RESOURCE_FLAVORS.group, RESOURCE_FLAVORS.version, RESOURCE_FLAVORS.kind)

KIND = Kind(
    resource=RESOURCE_FLAVORS,
    singular="resourceflavor",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA, guarded=True),
    short_names=("flavor", "flavors", "rf"),
    columns=(columns.NAME, columns.DATE_AGE),
)
KINDS = (KIND, versions.view(KIND))
