"""Topology: the levels of a network, as labels of nodes."""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Kind
from sidings.api.kinds import columns
from sidings.api.kinds.kueue.rules import KueueRules
from sidings.api.kueue.conversion import versions
from sidings.api.resources import TOPOLOGIES

SCHEMA = schemas.schema(TOPOLOGIES.group, TOPOLOGIES.version, TOPOLOGIES.kind)

KIND = Kind(
    resource=TOPOLOGIES,
    singular="topology",
    schema=SCHEMA,
    builtin=False,
    rules=KueueRules(SCHEMA),
    short_names=("topo",),
    columns=(columns.NAME, columns.DATE_AGE),
)
KINDS = (KIND, versions.view(KIND))
