"""PodGroup of the two gang schedulers that Trainer writes for: stored as they are, scheduled by nobody here.

Schemas are those fields that Trainer 2.3 and users set; what else a CRD has is kept as it is given.
"""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.kind import Column, Kind, Schema
from sidings.api.kinds import columns
from sidings.api.resources import COSCHEDULING_POD_GROUPS, VOLCANO_POD_GROUPS, Resource

_COUNT = {"type": "integer", "format": "int32"}
_RESOURCES = {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": True}}
_OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_BOTH = {"minMember": _COUNT, "minResources": _RESOURCES}
_VOLCANO = {
    "queue": {"type": "string", "default": "default"},
    "priorityClassName": {"type": "string"},
    "networkTopology": _OPEN,
}
_MEMBERS = Column("MinMember", "integer", json_path=".spec.minMember")
_PHASE = Column("Phase", json_path=".status.phase")
_STATUS = Column("STATUS", json_path=".status.phase")
_RUNNING = Column("RUNNINGS", "integer", json_path=".status.running")
_VOLCANO_MEMBERS = Column("minMember", "integer", json_path=".spec.minMember")


def _kind(resource: Resource, short_names: tuple[str, ...], spec: Schema, *shown: Column) -> Kind:
    return Kind(
        resource=resource,
        singular="podgroup",
        schema=schemas.of_objects(
            {"type": "object", "properties": {"spec": {**_OPEN, "properties": spec}, "status": _OPEN}}
        ),
        builtin=False,
        short_names=short_names,
        subresources=frozenset({"status"}),
        columns=(columns.NAME, *shown, columns.DATE_AGE),
    )


KINDS = (
    _kind(
        COSCHEDULING_POD_GROUPS,
        ("pg", "pgs"),
        {**_BOTH, "scheduleTimeoutSeconds": _COUNT},
        _PHASE,
        _MEMBERS,
    ),
    _kind(VOLCANO_POD_GROUPS, ("vg", "podgroup-v1beta1"), {**_BOTH, **_VOLCANO}, _STATUS, _VOLCANO_MEMBERS, _RUNNING),
)
