"""PUT, and the common half of PUT and PATCH: from an old object and a wanted one to what is stored.

What a client may not change is carried over, what it may is checked against the old object. A write that changes
nothing is none: no new resourceVersion, no event. A write that takes the last finalizer from an object that is being
deleted is its deletion. Steps and messages are those of ``k8s.io/apiserver/pkg/registry`` (v0.36).
"""

from __future__ import annotations

from sidings.api import fields, structural
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import WriteOptions
from sidings.api.status import Conflict, Invalid
from sidings.registry import incoming, managed, metadata, subresources
from sidings.registry.admission import chain
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.context import Context, not_found
from sidings.store.entries import Delete, Entry, Put
from sidings.store.errors import KeyChanged

OPTIMISTIC_LOCK = "the object has been modified; please apply your changes to the latest version and try again"

_VERSION_REQUIRED = frozenset({"serviceaccounts", "leases.coordination.k8s.io"})
"""Built-in kinds that, as custom resources, are not updated without a resourceVersion (AllowUnconditionalUpdate)."""


class Outrun(Exception):
    """Somebody else has written the object meanwhile: read it again."""


async def update(
    context: Context, kind: Kind, name: str, body: Object, namespace: str, options: WriteOptions, *, subresource: str
) -> Object:
    subresources.must_have(kind, name, subresource)
    wanted = incoming.decode(context, kind, body, options)
    incoming.address(kind, wanted, name, namespace)
    while True:
        entry = context.entry(kind, name, namespace)
        _check_uid(kind, wanted, entry)
        if subresource == "finalize":
            new = subresources.finalized(wanted, entry.document)
        else:
            new = {**wanted, "metadata": dict(wanted["metadata"])}
        try:
            return await revise(context, kind, new, entry, options, subresource=subresource)
        except Outrun as error:
            if wanted["metadata"].get("resourceVersion"):
                raise conflict(kind, name, OPTIMISTIC_LOCK) from error


async def revise(
    context: Context,
    kind: Kind,
    new: Object,
    entry: Entry,
    options: WriteOptions,
    *,
    subresource: str = "",
    managed_by_apply: bool = False,
) -> Object:
    """Store ``new``, decoded and addressed, in place of ``entry``; returns what is stored then.

    ``managed_by_apply``: its managed fields are the outcome of an apply already. Raises ``Outrun``.
    """
    old = entry.document
    resource, name = kind.resource, old["metadata"]["name"]
    _check_version(kind, new, entry)
    metadata.carry_over(new, old)
    _prepare(kind, new, old, subresource)
    if not managed_by_apply:
        managed.note_update(context, kind, new, old, options, subresource)
    namespace = old["metadata"].get("namespace") or ""
    request = Request(Operation.UPDATE, kind, namespace, name, new, old, subresource, options.dry_run, options.warn)
    _check_shape(kind, new, old, subresource)
    chain.admit(context.plugins, request, context)
    options.guard(new, old)
    if subresource in ("", "scale"):
        metadata.bump_generation(kind, new, old)
    _validate(kind, new, old, subresource)
    for text in kind.rules.warnings(new, old):
        options.warn(text)
    chain.validate(context.plugins, request, context)
    managed.keep_times_if_unchanged(new, old)
    try:
        if _is_finished(new, old):
            if not options.dry_run:
                return await context.write(Delete(entry.key, entry.revision, final=new))
        elif new == old:
            return old
        elif not options.dry_run:
            return await context.write(Put(entry.key, new, entry.revision))
    except KeyChanged as error:
        if error.current is None:
            raise not_found(resource, name) from error
        raise Outrun from error
    return new


def conflict(kind: Kind, name: str, reason: str) -> Conflict:
    resource = kind.resource
    return Conflict(
        f'Operation cannot be fulfilled on {resource.group_resource} "{name}": {reason}',
        name=name,
        group=resource.group,
        kind=resource.plural,
    )


def _check_uid(kind: Kind, wanted: Object, entry: Entry) -> None:
    """A PUT with a uid means that very object."""
    uid, found = wanted["metadata"].get("uid"), entry.document["metadata"]["uid"]
    if uid and uid != found:
        _, namespace, name = entry.key
        resource = kind.resource
        parts = ["registry", *([] if kind.builtin else [resource.group]), resource.plural, namespace, name]
        where = "/" + "/".join(part for part in parts if part)
        raise conflict(
            kind,
            name,
            f"StorageError: invalid object, Code: 4, Key: {where}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found}",
        )


def _check_version(kind: Kind, new: Object, entry: Entry) -> None:
    resource, name = kind.resource, entry.key[2]
    version, current = new["metadata"].get("resourceVersion"), str(entry.revision)
    if not version:
        if not kind.builtin or resource.group_resource in _VERSION_REQUIRED:
            error = fields.invalid("metadata.resourceVersion", 0, "must be specified for an update")
            raise fields.to_invalid(resource.group, resource.plural, name, [error])
        new["metadata"]["resourceVersion"] = current
    elif version != current:
        raise conflict(kind, name, OPTIMISTIC_LOCK)


def _prepare(kind: Kind, new: Object, old: Object, subresource: str) -> None:
    """Keep what this endpoint does not write."""
    if subresource == "status" and not kind.builtin:
        status, managed_fields = new.get("status"), new["metadata"].get("managedFields")
        new.clear()
        new.update(old)
        new["metadata"] = {**old["metadata"], "managedFields": managed_fields}
        if managed_fields is None:
            del new["metadata"]["managedFields"]
        _put(new, "status", status)
    elif subresource == "status":
        # Upstream's status strategies of built-in kinds let metadata through, but for the owners.
        metadata_of_new, status = new["metadata"], new.get("status")
        new.clear()
        new.update(old)
        new["metadata"] = metadata_of_new
        _put(new["metadata"], "ownerReferences", old["metadata"].get("ownerReferences"))
        _put(new, "status", status)
        kind.rules.prepare_for_status_update(new, old)
    elif not subresource:
        if not kind.builtin and kind.has_status:
            _put(new, "status", old.get("status"))
        kind.rules.prepare_for_update(new, old)


def _put(obj: Object, field: str, value: object) -> None:
    if value is None:
        obj.pop(field, None)
    else:
        obj[field] = value


def _check_shape(kind: Kind, new: Object, old: Object, subresource: str) -> None:
    """Admission plug-ins are spared custom resources of wrong types."""
    if kind.builtin:
        return
    check = structural.validate_status if subresource == "status" else structural.validate
    errors = check(kind.schema, new, old=old)
    if any(error.reason == "FieldValueTypeInvalid" for error in errors):
        raise _invalid(kind, new, errors)


def _validate(kind: Kind, new: Object, old: Object, subresource: str) -> None:
    errors = metadata.validate_update(new, old)
    if subresource == "status":
        if not kind.builtin:
            errors += structural.validate_status(kind.schema, new, old=old)
        errors += kind.rules.validate_status_update(new, old)
    else:
        if not kind.builtin:
            errors += structural.validate(kind.schema, new, old=old)
        if subresource in ("", "scale"):
            errors += kind.rules.validate(new) + kind.rules.validate_update(new, old)
    if errors:
        raise _invalid(kind, new, errors)


def _invalid(kind: Kind, new: Object, errors: list[fields.FieldError]) -> Invalid:
    return fields.to_invalid(kind.resource.group, kind.resource.kind, new["metadata"]["name"], errors)


def _is_finished(new: Object, old: Object) -> bool:
    """Whether this update takes away the last thing a deletion waited for."""
    meta, before = new["metadata"], old["metadata"]
    return (
        bool(before.get("deletionTimestamp"))
        and not meta.get("finalizers")
        and not before.get("deletionGracePeriodSeconds")
        and not (new.get("spec") or {}).get("finalizers")
    )
