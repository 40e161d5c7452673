"""Lease: a heartbeat or a lock with a holder; ``kubectl describe node`` reads the node's."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import LEASES


class LeaseRules(Rules):
    def validate(self, obj: Object) -> list[FieldError]:
        """``ValidateLeaseSpec`` (v1.36)."""
        spec = obj.get("spec") or {}
        errors = []
        seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if seconds is not None and seconds <= 0:
            errors.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            errors.append(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
        return errors


KIND = Kind(
    resource=LEASES,
    singular="lease",
    schema=schemas.schema(LEASES.group, LEASES.version, LEASES.kind),
    builtin=True,
    rules=LeaseRules(),
    columns=(
        columns.NAME,
        Column("Holder", cell=columns.field("spec", "holderIdentity"), description="Who holds the lease."),
        columns.AGE,
    ),
    generation=False,
)
