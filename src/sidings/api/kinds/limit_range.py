"""LimitRange: stored and listed for ``kubectl describe namespace``; nothing enforces it."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.resources import LIMIT_RANGES

KIND = Kind(
    resource=LIMIT_RANGES,
    singular="limitrange",
    schema=schemas.schema(LIMIT_RANGES.group, LIMIT_RANGES.version, LIMIT_RANGES.kind),
    builtin=True,
    short_names=("limits",),
    columns=(
        columns.NAME,
        Column("Created At", json_path=".metadata.creationTimestamp", description="When it was created."),
    ),
    generation=False,
)
