"""``metadata.managedFields``: who set which field last, and what an ordinary write does to that.

A manager is a name with an operation: entries of ``Update`` (create, put, patch) also differ by version, those of
``Apply`` do not, both by subresource. A write that changes a field takes it from every other manager. An object whose
list has been emptied (by sending ``[{}]``) is no longer tracked until somebody applies to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sidings.api.apply import comparing
from sidings.api.apply.fieldset import FieldSet, field, from_fields_v1
from sidings.api.apply.interned import interned
from sidings.api.kind import Kind, Schema
from sidings.api.objects import Object

UPDATE = "Update"
APPLY = "Apply"

NEVER_OWNED = FieldSet(
    [
        (field("apiVersion"),),
        (field("kind"),),
        (field("metadata"),),
        *(
            (field("metadata"), field(name))
            for name in (
                "name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName", "generation",
                "managedFields", "resourceVersion",
            )
        ),
    ]
)  # fmt: skip
"""What the API server itself writes (``managedfields/internal/stripmeta.go``)."""


class Manager(NamedTuple):
    """``api_version`` is empty for Apply."""

    name: str
    operation: str
    subresource: str = ""
    api_version: str = ""


@dataclass
class Ownership:
    """What one manager owns. ``time`` is RFC 3339, empty where it has never changed a value."""

    fields: FieldSet
    api_version: str
    time: str = ""


Managers = dict[Manager, Ownership]

_ALWAYS_STRUCTS = ("metadata", "spec", "status", "template")


def read(entries: Iterable[Mapping[str, Any]] | None) -> Managers:
    """``metadata.managedFields`` of a stored object as managers."""
    return _read(entries or (), FieldSet.of)


def read_sent(entries: Iterable[Mapping[str, Any]] | None) -> Managers:
    """What a client sent as ``metadata.managedFields``; a list with an entry that cannot be read counts as empty."""
    try:
        return _read(entries or (), from_fields_v1)
    except ValueError:
        return {}


def _read(entries: Iterable[Mapping[str, Any]], fields_of: Callable[[Any], FieldSet]) -> Managers:
    managers: Managers = {}
    for entry in entries:
        operation, api_version = entry.get("operation"), entry.get("apiVersion") or ""
        if operation not in (UPDATE, APPLY) or not isinstance(entry.get("fieldsV1"), Mapping):
            raise ValueError("an entry has no operation or no fields")
        manager = Manager(
            entry.get("manager") or "",
            operation,
            entry.get("subresource") or "",
            api_version if operation == UPDATE else "",
        )
        fields = fields_of(entry["fieldsV1"])
        known = managers.get(manager)
        managers[manager] = Ownership(known.fields | fields if known else fields, api_version, entry.get("time") or "")
    return managers


def write(managers: Managers) -> list[Object]:
    """Managers as ``metadata.managedFields``: Apply before Update, then by time and name."""
    ordered = sorted(managers.items(), key=lambda item: (item[0].operation, item[1].time, item[0]))
    return [_entry(manager, owned) for manager, owned in ordered]


def update(kind: Kind, new: Object, old: Object | None, *, manager: str, subresource: str = "", time: str) -> None:
    """Set ``new``'s managed fields after an Update of ``old`` (None: a create) by ``manager`` at ``time``.

    Changes ``new["metadata"]`` in place. What ``new`` brings along counts, so that a client may edit the list; on a
    subresource it does not.
    """
    metadata = new["metadata"]
    sent = metadata.pop("managedFields", None)
    stored = (old or {}).get("metadata", {}).get("managedFields")
    managers = read(stored) if subresource else _sent_or_stored(sent, stored)
    if old is None or managers:
        before = old or (_zero(kind.schema) if kind.builtin else {})
        record(kind, managers, before, new, manager=manager, subresource=subresource, time=time)
    if managers:
        metadata["managedFields"] = write(managers)


def record(
    kind: Kind, managers: Managers, old: Object, new: Object, *, manager: str, subresource: str, time: str
) -> None:
    """Move what differs between ``old`` and ``new`` to ``manager``'s Update entry, in place."""
    difference = comparing.compare(old, new, kind.schema).without(reset_fields(kind, subresource))
    changed = difference.changed
    release(managers, changed | difference.removed)
    taken = changed - NEVER_OWNED
    if taken:
        identity = Manager(manager, UPDATE, subresource, kind.resource.api_version)
        before = managers.get(identity)
        fields = before.fields | taken if before else taken
        managers[identity] = Ownership(fields, kind.resource.api_version, time)


def release(managers: Managers, fields: FieldSet, *, keep: Manager | None = None) -> None:
    """Take ``fields`` from every manager but ``keep``; who owns nothing any more is dropped."""
    for manager in [manager for manager in managers if manager != keep]:
        owned = managers[manager]
        rest = owned.fields - fields
        if rest:
            managers[manager] = Ownership(rest, owned.api_version, owned.time)
        else:
            del managers[manager]


_NOTHING = FieldSet()
_SPEC = FieldSet([(field("spec"),)])
_ALL_BUT_STATUS = FieldSet([(field("spec"),), (field("metadata"),)])
_STATUS = FieldSet([(field("status"),)])


def reset_fields(kind: Kind, subresource: str) -> FieldSet:
    """What the endpoint does not write, so that nobody gains or loses it there."""
    if subresource == "status":
        return _SPEC if kind.builtin else _ALL_BUT_STATUS
    return _STATUS if kind.has_status and not subresource else _NOTHING


def _zero(schema: Schema) -> Object:
    """What the empty Go struct of a built-in kind encodes to: nobody owns a map or list that is always there."""
    zero: Object = {}
    for name, member in (schema.get("properties") or {}).items():
        if name in _ALWAYS_STRUCTS and member.get("properties"):
            zero[name] = _zero(member)
        elif name in (schema.get("required") or ()) and member.get("type") == "array":
            zero[name] = None
    return zero


def _sent_or_stored(sent: list[Object] | None, stored: list[Object] | None) -> Managers:
    if sent == [{}]:
        return {}
    if sent == stored:
        return read(stored)
    return read_sent(sent) or read(stored)


def _entry(manager: Manager, owned: Ownership) -> Object:
    entry: Object = {"manager": manager.name, "operation": manager.operation, "apiVersion": owned.api_version}
    if owned.time:
        entry["time"] = owned.time
    entry["fieldsType"] = "FieldsV1"
    entry["fieldsV1"] = interned(owned.fields.to_fields_v1())
    if manager.subresource:
        entry["subresource"] = manager.subresource
    return entry
