"""Event (events.k8s.io/v1): the same objects as core/v1's under newer names.

There is one store of events; this version is a view of it. ``to_core`` and ``from_core`` rename what is named otherwise
(``pkg/apis/events/v1/conversion.go``, Kubernetes v1.36).
"""

from __future__ import annotations

from sidings.api import schemas
from sidings.api.fields import FieldError, not_supported, required
from sidings.api.kind import Conversion, Kind, Rules
from sidings.api.kinds import event
from sidings.api.objects import Object
from sidings.api.resources import EVENTS, EVENTS_V1

NAMES = {
    "note": "message",
    "regarding": "involvedObject",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
"""The name here -> the name in core/v1."""
_CORE_NAMES = {core: name for name, core in NAMES.items()}
TYPES = ("Normal", "Warning")


def to_core(obj: Object) -> Object:
    """``obj``, or a patch of one, with core/v1's names."""
    renamed = {NAMES.get(field, field): value for field, value in obj.items()}
    if "kind" in obj or "apiVersion" in obj:
        renamed |= {"apiVersion": EVENTS.api_version, "kind": EVENTS.kind}
    return renamed


def from_core(obj: Object) -> Object:
    """A stored event as this version shows it."""
    renamed = {_CORE_NAMES.get(field, field): value for field, value in obj.items()}
    return {**renamed, "apiVersion": EVENTS_V1.api_version, "kind": EVENTS_V1.kind}


def selector_to_core(selector: str) -> str:
    """``regarding.kind=Job`` -> ``involvedObject.kind=Job``."""
    parts = []
    for part in selector.split(","):
        head = part.split("=")[0].split("!")[0].split(".")[0]
        parts.append(NAMES.get(head, head) + part[len(head) :])
    return ",".join(parts)


class EventV1Rules(Rules):
    def validate(self, obj: Object) -> list[FieldError]:
        """What this version asks for and core/v1 does not."""
        wanted = ("eventTime", "reportingController", "reportingInstance", "action", "reason")
        errors = [required(field) for field in wanted if not obj.get(field)]
        if obj.get("type") not in TYPES:
            errors.append(not_supported("type", obj.get("type") or "", TYPES))
        return errors


KIND = Kind(
    resource=EVENTS_V1,
    singular="event",
    schema=schemas.schema(EVENTS_V1.group, EVENTS_V1.version, EVENTS_V1.kind),
    builtin=True,
    rules=EventV1Rules(),
    short_names=("ev",),
    columns=event.KIND.columns,
    generation=False,
    conversion=Conversion(event.KIND, to_core, from_core, selector_to_core),
)
