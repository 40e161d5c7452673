"""Lease: a heartbeat or a lock with a holder; ``kubectl describe node`` reads the node's."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.resources import LEASES

KIND = Kind(
    resource=LEASES,
    singular="lease",
    schema=schemas.schema(LEASES.group, LEASES.version, LEASES.kind),
    builtin=True,
    columns=(
        columns.NAME,
        Column("Holder", cell=columns.field("spec", "holderIdentity"), description="Who holds the lease."),
        columns.AGE,
    ),
    generation=False,
)
