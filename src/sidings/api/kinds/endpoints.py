"""Endpoints: the addresses behind a Service, written by the endpoints controller."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.kind import Column, Kind
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import ENDPOINTS

_SHOWN = 3


def _addresses(obj: Object, now: datetime) -> Any:
    """The first three as ``ip:port``, and how many more there are."""
    texts = []
    for subset in obj.get("subsets") or ():
        addresses = subset.get("addresses") or ()
        ports = subset.get("ports") or ()
        if not ports:
            texts += [address["ip"] for address in addresses]
        for port in ports:
            texts += [f"{address['ip']}:{port['port']}" for address in addresses]
    if not texts:
        return columns.NONE
    more = len(texts) - _SHOWN
    return ",".join(texts[:_SHOWN]) + (f" + {more} more..." if more > 0 else "")


KIND = Kind(
    resource=ENDPOINTS,
    singular="endpoints",
    schema=schemas.schema(ENDPOINTS.group, ENDPOINTS.version, ENDPOINTS.kind),
    builtin=True,
    short_names=("ep",),
    columns=(
        columns.NAME,
        Column("Endpoints", cell=_addresses, description="Ready addresses and their ports."),
        columns.AGE,
    ),
    generation=False,
)
