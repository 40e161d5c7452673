"""POST: a new object.

The order is kube-apiserver's, and shows in what is answered when several things are wrong at once: the body, then
mutating admission (a missing namespace), then validation, then validating admission, then the name that is taken.
Managed fields are what the client has sent with the defaults of decoding, without what admission and the create
strategy add (recorded: ``create-job``, ``create-js``).
"""

from __future__ import annotations

from sidings.api import fields, names, structural
from sidings.api.kind import Kind
from sidings.api.objects import Object, copy_of
from sidings.api.options import WriteOptions
from sidings.api.status import AlreadyExists, UnexplainedError
from sidings.registry import incoming, managed, metadata
from sidings.registry.admission import chain
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.context import Context, key_for
from sidings.store.entries import Entry, Put
from sidings.store.errors import KeyChanged

MOST_GENERATED_NAMES = 8
"""Attempts at a free name (``maxNameGenerationCreateAttempts``)."""


async def create(context: Context, kind: Kind, body: Object, namespace: str, options: WriteOptions) -> Object:
    obj = incoming.decode(context, kind, body, options)
    incoming.address(kind, obj, "", namespace)
    managed.note_update(context, kind, obj, None, options)
    return await store_new(context, kind, obj, options)


async def store_new(context: Context, kind: Kind, obj: Object, options: WriteOptions) -> Object:
    """Admit, complete, check and store ``obj``, which is decoded, addressed and has its managed fields."""
    generated = not obj["metadata"].get("name") and bool(obj["metadata"].get("generateName"))
    attempts = MOST_GENERATED_NAMES if generated else 1
    while True:
        attempts -= 1
        new = copy_of(obj) if attempts else obj
        if generated:
            new["metadata"]["name"] = names.generate_name(obj["metadata"]["generateName"], context.rng)
        try:
            return await _store_once(context, kind, new, options)
        except AlreadyExists:
            if not attempts:
                raise


async def _store_once(context: Context, kind: Kind, new: Object, options: WriteOptions) -> Object:
    resource, meta = kind.resource, new["metadata"]
    had_version = bool(meta.get("resourceVersion"))
    metadata.fill_in(kind, new, context.now(), context.rng)
    name, namespace = meta.get("name") or "", meta.get("namespace") or ""
    request = Request(Operation.CREATE, kind, namespace, name, new, None, "", options.dry_run, options.warn)
    incoming.check_webhook_can_read(kind, new)
    chain.admit(context.plugins, request, context)
    if not kind.builtin and kind.has_status:
        new.pop("status", None)
    kind.rules.default_on_create(new)
    options.guard(new, None)
    errors = metadata.validate_create(kind, new)
    if not kind.builtin:
        errors += structural.validate(kind.schema, new)
    # Rules on values assume the right shapes, which the schema has just checked.
    if not any(error.reason == "FieldValueTypeInvalid" for error in errors):
        errors += kind.rules.validate(new) + kind.rules.validate_create(new)
    if errors:
        raise fields.to_invalid(resource.group, resource.kind, name, errors)
    for text in kind.rules.warnings(new, None):
        options.warn(text)
    chain.validate(context.plugins, request, context)
    key = key_for(resource, name, namespace)
    if options.dry_run:
        held = context.store.get(key)
        if held is not None:
            raise _already_exists(kind, name, held)
        return new
    if had_version:
        raise UnexplainedError("resourceVersion should not be set on objects to be created")
    try:
        return await context.write(Put(key, new, expected=0))
    except KeyChanged as error:
        raise _already_exists(kind, name, error.current) from error


def _already_exists(kind: Kind, name: str, held: Entry | None) -> AlreadyExists:
    resource = kind.resource
    text = f'{resource.group_resource} "{name}" already exists'
    if held is not None and held.document["metadata"].get("deletionTimestamp"):
        text = f"object is being deleted: {text}"
    return AlreadyExists(text, name=name, group=resource.group, kind=resource.plural)
