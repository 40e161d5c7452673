"""Server-side apply: make an object as one manager wants it, without taking what others own.

What the manager applies is merged into the live object; what it applied last time and does not any more is removed,
unless somebody else owns it. A field that gets another value and belongs to another manager is a conflict; with
``force`` it changes hands. An apply that changes nothing leaves the object as it is, times included.
"""

from __future__ import annotations

from typing import Any

from sidings.api.apply import checking, comparing, last_applied, managed
from sidings.api.apply import schema_shape as shape
from sidings.api.apply.fieldset import FieldSet, Path, text_of
from sidings.api.apply.managed import Manager, Managers, Ownership
from sidings.api.apply.merging import merge, remove
from sidings.api.kind import Kind, Schema
from sidings.api.objects import Object
from sidings.api.status import BadRequest, Cause, Conflict, UnexplainedError

BEFORE_FIRST_APPLY = "before-first-apply"
"""Who owns the fields of an untracked object when it is applied to (``internal/skipnonapplied.go``)."""


def apply(
    kind: Kind, live: Object | None, applied: Object, *, manager: str, force: bool, subresource: str = "", time: str
) -> Object:
    """The object after ``manager`` has applied ``applied`` at ``time`` (RFC 3339); ``live`` is None for a new one.

    Returns an object equal to ``live`` if nothing changes. Raises ``Conflict`` (409) with a cause per field,
    ``BadRequest`` for managed fields or another kind in ``applied``, and ``UnexplainedError`` (500) where it has
    fields that the schema does not have or list elements without or with the same key.
    """
    _check(kind, applied)
    before = live or {}
    managers = _managers_of(kind, before, time)
    bare = _without_managed_fields(before)
    conflicts: dict[Manager, FieldSet]
    result, moved, conflicts = _applied(kind, bare, applied, managers, manager, subresource)
    if conflicts and not force:
        if manager == last_applied.MANAGER:
            own = last_applied.unchanged_fields(kind, bare)
            conflicts = {other: rest for other, fields in conflicts.items() if (rest := fields - own)}
        if conflicts:
            raise _conflict(conflicts)
    if manager == last_applied.MANAGER:
        result = last_applied.refreshed(result, applied)
    if result != bare:
        identity = _identity(manager, subresource)
        if identity in moved:
            moved[identity].time = time
    entries = managed.write(moved)
    if result == bare and entries == (before.get("metadata") or {}).get("managedFields"):
        return before
    metadata = {**result["metadata"], **({"managedFields": entries} if entries else {})}
    return {**result, "metadata": metadata}


def _check(kind: Kind, applied: Object) -> None:
    resource = kind.resource
    api_version, kind_name = str(applied.get("apiVersion") or ""), str(applied.get("kind") or "")
    if (api_version, kind_name) != (resource.api_version, resource.kind):
        raise BadRequest(f"invalid object type: {_gvk(api_version, kind_name)}")
    metadata = applied.get("metadata") or {}
    if metadata.get("managedFields"):
        raise BadRequest("metadata.managedFields must be nil")
    found = checking.complaints(applied, kind.schema)
    if found:
        text = found[0] if len(found) == 1 else "\n  ".join(["errors:", *found])
        where = f"{metadata.get('namespace') or ''}/{metadata.get('name') or ''}"
        raise UnexplainedError(f"failed to create typed patch object ({where}; {_gvk(api_version, kind_name)}): {text}")


def _gvk(api_version: str, kind: str) -> str:
    """A GroupVersionKind as Go prints it; the core group has an empty name."""
    group_version = api_version if "/" in api_version else f"/{api_version}"
    return f"{group_version}, Kind={kind}"


def _managers_of(kind: Kind, live: Object, time: str) -> Managers:
    managers = managed.read((live.get("metadata") or {}).get("managedFields"))
    if live and not managers:
        start: Object = {"apiVersion": live.get("apiVersion"), "kind": live.get("kind"), "metadata": {}}
        new = _without_managed_fields(live)
        managed.record(kind, managers, start, new, manager=BEFORE_FIRST_APPLY, subresource="", time=time)
    return managers


def _applied(
    kind: Kind, live: Object, applied: Object, managers: Managers, manager: str, subresource: str
) -> tuple[Object, Managers, dict[Manager, FieldSet]]:
    """(the object, the managers if conflicts are overridden, the conflicts)."""
    identity = _identity(manager, subresource)
    reset = managed.reset_fields(kind, subresource)
    moved = dict(managers)
    last = managers.get(identity)
    wanted = comparing.fields_of(applied, kind.schema).without(reset)
    moved[identity] = Ownership(wanted, kind.resource.api_version, last.time if last else "")
    result = merge(live, applied, kind.schema) if live else _first(applied)
    if last is not None and last.fields - wanted:
        result = _pruned(result, last.fields, moved, kind.schema)
    difference = comparing.compare(live, result, kind.schema).without(reset)
    changed = difference.changed
    conflicts = {
        other: shared for other, owned in moved.items() if other != identity and (shared := owned.fields & changed)
    }
    managed.release(moved, changed | difference.removed, keep=identity)
    own = wanted - managed.NEVER_OWNED
    if own:
        moved[identity] = Ownership(own, kind.resource.api_version, moved[identity].time)
    else:
        del moved[identity]
    return result, moved, conflicts


def _first(applied: Object) -> Object:
    result: Object = merge(None, applied, shape.ANYTHING)
    result.setdefault("metadata", {})
    return result


def _pruned(merged: Object, last: FieldSet, managers: Managers, schema: Schema) -> Object:
    """``merged`` without the fields of ``last`` that nobody owns any more.

    Fields below an owned one that the manager never owned (an element's defaulted fields, say) go only with their
    parent, and only if the manager itself owned that parent.
    """
    last = _with_parents(last, schema)
    bare = remove(merged, last, schema) or {}
    owned = FieldSet()
    for ownership in managers.values():
        owned = owned | ownership.fields
    present = _with_parents(comparing.fields_of(merged, schema), schema)
    left = _with_parents(comparing.fields_of(bare, schema), schema)
    gone = present - (left | _with_parents(owned, schema))
    rest = remove(merged, gone, schema) or {}
    left = _with_parents(comparing.fields_of(rest, schema), schema)
    result: Object = remove(merged, (present - left) & last, schema) or {}
    result.setdefault("metadata", {})
    return result


def _with_parents(fields: FieldSet, schema: Schema) -> FieldSet:
    """``fields`` and every struct field on the way to one of them."""
    result = FieldSet(fields)
    for path in fields:
        at = schema
        for depth, element in enumerate(path):
            kind, _, name = element.partition(":")
            if kind == "f":
                if shape.is_declared(at, name):
                    result.insert(path[: depth + 1])
                at = shape.member(at, name) or shape.ANYTHING
            else:
                at = shape.items(at)
    return result


def _conflict(conflicts: dict[Manager, FieldSet]) -> Conflict:
    """One line for one conflict, a list by manager for more; a cause for each field."""
    by_manager: list[tuple[str, list[Path]]] = [
        (_described(manager), list(fields)) for manager, fields in sorted(conflicts.items())
    ]
    causes = [
        Cause("FieldManagerConflict", f"conflict with {name}", text_of(path))
        for name, paths in by_manager
        for path in paths
    ]
    if len(causes) == 1:
        message = f"Apply failed with 1 conflict: {causes[0].message}: {causes[0].field}"
    else:
        lines: list[Any] = []
        for name, paths in by_manager:
            lines += [f"conflicts with {name}:", *(f"- {text_of(path)}" for path in paths)]
        message = f"Apply failed with {len(causes)} conflicts: " + "\n".join(lines)
    return Conflict(message, causes=causes)


def _described(manager: Manager) -> str:
    name = f'"{manager.name}"'
    if manager.subresource:
        name += f' with subresource "{manager.subresource}"'
    return f"{name} using {manager.api_version}" if manager.operation == managed.UPDATE else name


def _identity(manager: str, subresource: str) -> Manager:
    return Manager(manager, managed.APPLY, subresource)


def _without_managed_fields(obj: Object) -> Object:
    if "managedFields" not in (obj.get("metadata") or {}):
        return obj
    return {**obj, "metadata": {name: value for name, value in obj["metadata"].items() if name != "managedFields"}}
