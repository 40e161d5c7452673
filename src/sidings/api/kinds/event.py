"""Event (core/v1): what happened to an object, told once or counted.

Controllers write two shapes: the classic one (``firstTimestamp``, ``lastTimestamp``, ``count``) and that of
events.k8s.io (``eventTime``, ``series``). Columns show either.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import age, schemas
from sidings.api.fields import FieldError, invalid
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import EVENTS


class EventRules(Rules):
    def default(self, obj: Object) -> None:
        # Fields without omitempty upstream, which clients find even when nobody set them.
        obj.setdefault("source", {})
        obj.setdefault("reportingComponent", "")
        obj.setdefault("reportingInstance", "")
        for field in ("firstTimestamp", "lastTimestamp", "eventTime"):
            obj.setdefault(field, None)

    def validate(self, obj: Object) -> list[FieldError]:
        involved = obj.get("involvedObject") or {}
        namespace, own = involved.get("namespace") or "", obj["metadata"].get("namespace") or ""
        # An event about a cluster-scoped object lives in the default namespace.
        if namespace != own and not (not namespace and own == "default"):
            return [invalid("involvedObject.namespace", namespace, "does not match event.namespace")]
        return []


def _first_seen(obj: Object, now: datetime) -> Any:
    return age.since(obj.get("firstTimestamp") or obj.get("eventTime"), now)


def _last_seen(obj: Object, now: datetime) -> Any:
    series = obj.get("series")
    if series:
        return age.since(series.get("lastObservedTime"), now)
    last = obj.get("lastTimestamp")
    return age.since(last, now) if last else _first_seen(obj, now)


def _count(obj: Object, now: datetime) -> Any:
    return (obj.get("series") or obj).get("count") or 1


def _object(obj: Object, now: datetime) -> Any:
    involved = obj.get("involvedObject") or {}
    kind, name = str(involved.get("kind") or "").lower(), involved.get("name")
    return f"{kind}/{name}" if name else kind


def _source(obj: Object, now: datetime) -> Any:
    source = obj.get("source") or {}
    component = source.get("component") or obj.get("reportingComponent") or ""
    instance = source.get("host") or obj.get("reportingInstance") or ""
    return f"{component}, {instance}" if instance else component


def _message(obj: Object, now: datetime) -> Any:
    return str(obj.get("message") or "").strip()


KIND = Kind(
    resource=EVENTS,
    singular="event",
    schema=schemas.schema(EVENTS.group, EVENTS.version, EVENTS.kind),
    builtin=True,
    rules=EventRules(),
    short_names=("ev",),
    columns=(
        Column("Last Seen", cell=_last_seen, description="Time since it happened last."),
        Column("Type", cell=columns.field("type"), description="Normal or Warning."),
        Column("Reason", cell=columns.field("reason"), description="One word for machines."),
        Column("Object", cell=_object, description="What it happened to."),
        Column(
            "Subobject", cell=columns.field("involvedObject", "fieldPath"), priority=1, description="The part of it."
        ),
        Column("Source", cell=_source, priority=1, description="Who tells it."),
        Column("Message", cell=_message, description="One sentence for people."),
        Column("First Seen", cell=_first_seen, priority=1, description="Time since it happened first."),
        Column("Count", cell=_count, priority=1, description="How often it happened."),
        Column("Name", json_path=".metadata.name", format="name", priority=1, description=columns.NAME.description),
    ),
    generation=False,
    field_labels={
        **{
            f"involvedObject.{field}": f"involvedObject.{field}"
            for field in ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
        },
        "reason": "reason",
        "reportingComponent": "reportingComponent",
        "source": "source.component",
        "type": "type",
    },
)
