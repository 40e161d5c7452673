"""DELETE: at once, or after a grace period, finalizers and dependents.

:func:`decide` is the whole policy as a pure function over the stored object: gone, marked, or left as it is. It follows
``k8s.io/apiserver/pkg/registry`` (v0.36; ``rest/delete.go`` and ``generic/registry/store.go``). Whoever holds a
finalizer finishes the deletion with its last update (``update``).
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from sidings.api import timestamps
from sidings.api.kind import Kind
from sidings.api.objects import Object
from sidings.api.options import BACKGROUND, FOREGROUND, ORPHAN, DeleteOptions, ListOptions
from sidings.api.resources import EVENTS, NAMESPACES
from sidings.api.status import ApiError, Conflict, NotFound
from sidings.registry.admission import chain
from sidings.registry.admission.plugin import Operation, Request
from sidings.registry.context import Context, not_found
from sidings.registry.listing import Page, list_page
from sidings.registry.metadata import FOREGROUND_FINALIZER, ORPHAN_FINALIZER
from sidings.store.entries import Delete, Entry, Op, Put
from sidings.store.errors import KeyChanged

RETURNS_OBJECT = frozenset(
    {
        "pods", "podtemplates", "persistentvolumeclaims", "persistentvolumes", "resourcequotas", "serviceaccounts",
        "services", "storageclasses.storage.k8s.io",
    }
)  # fmt: skip
"""Kinds whose last state is the answer to their deletion (``ReturnDeletedObject``); others answer a Status."""

ORPHANS_BY_DEFAULT = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
PARALLEL_DELETES = 16


class Outcome(Enum):
    GONE = "gone"
    MARKED = "marked"
    """It lives on, with a deletionTimestamp or with finalizers for the garbage collector."""
    UNCHANGED = "unchanged"
    """Its deletion is under way already and this request does not hasten it."""


class Decision(NamedTuple):
    """``obj`` is what is stored, or the last state of what is gone."""

    outcome: Outcome
    obj: Object


async def delete(context: Context, kind: Kind, name: str, namespace: str, options: DeleteOptions) -> Object:
    if kind.default_propagation == ORPHAN and not options.propagation_policy and options.orphan_dependents is None:
        options.warn(ORPHANS_BY_DEFAULT)
    while True:
        entry = context.entry(kind, name, namespace)
        _check_preconditions(kind, entry, options)
        request = Request(
            Operation.DELETE, kind, namespace, name, None, entry.document, "", options.dry_run, options.warn
        )
        chain.admit(context.plugins, request, context)
        chain.validate(context.plugins, request, context)
        if kind.resource == NAMESPACES:
            decision = decide_namespace(entry.document, context.now())
        else:
            decision = decide(kind, entry.document, options, context.now())
        try:
            obj = await _carry_out(context, entry, decision, options)
        except KeyChanged as error:
            if error.current is None:
                raise not_found(kind.resource, name) from error
            continue
        if decision.outcome is Outcome.GONE and kind.resource.group_resource not in RETURNS_OBJECT:
            return success(kind, obj)
        return obj


async def delete_collection(
    context: Context, kind: Kind, namespace: str, list_options: ListOptions, options: DeleteOptions
) -> Page:
    page = list_page(context, kind, namespace, list_options)
    gate = asyncio.Semaphore(PARALLEL_DELETES)

    async def one(obj: Object) -> ApiError | None:
        metadata = obj["metadata"]
        async with gate:
            try:
                await delete(context, kind, metadata["name"], metadata.get("namespace") or "", options)
            except NotFound:
                return None
            except ApiError as error:
                return error
        return None

    for error in await asyncio.gather(*(one(item.object) for item in page.items)):
        if error is not None:
            raise error
    return page


def decide(kind: Kind, obj: Object, options: DeleteOptions, now: datetime) -> Decision:
    """What becomes of ``obj``, which is not changed."""
    requested = options.grace_period_seconds
    if requested is not None and requested < 0:
        options = replace(options, grace_period_seconds=1)
    graceful = kind.rules.grace_period(obj, options.grace_period_seconds)
    if graceful is not None and obj["metadata"].get("deletionTimestamp"):
        return _hasten(obj, options.grace_period_seconds)
    finalizers = _finalizers(kind, obj, options)
    marked = {**obj, "metadata": dict(obj["metadata"])}
    metadata = marked["metadata"]
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if graceful is not None:
        _mark(metadata, now + timedelta(seconds=graceful), graceful)
        return Decision(Outcome.MARKED if finalizers or graceful else Outcome.GONE, marked)
    if not finalizers:
        return Decision(Outcome.GONE, marked)
    _mark(metadata, now, 0)
    return Decision(Outcome.MARKED if marked != obj else Outcome.UNCHANGED, marked)


def decide_namespace(obj: Object, now: datetime) -> Decision:
    """A namespace is marked first; it goes when ``spec.finalizers`` is empty, which is up to its controller."""
    metadata = obj["metadata"]
    if metadata.get("deletionTimestamp"):
        held = (obj.get("spec") or {}).get("finalizers") or metadata.get("finalizers")
        return Decision(Outcome.UNCHANGED if held else Outcome.GONE, obj)
    marked = {
        **obj,
        "metadata": {**metadata, "deletionTimestamp": timestamps.to_text(now)},
        "status": {**(obj.get("status") or {}), "phase": "Terminating"},
    }
    return Decision(Outcome.MARKED, marked)


def success(kind: Kind, obj: Object) -> Object:
    """The answer for an object that is gone."""
    resource, metadata = kind.resource, obj["metadata"]
    details = {"name": metadata["name"], "group": resource.group, "kind": resource.plural, "uid": metadata["uid"]}
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {field: value for field, value in details.items() if value},
    }


def _hasten(obj: Object, requested: int | None) -> Decision:
    """A further request for an object in its grace period: the shorter period wins."""
    metadata = obj["metadata"]
    current = metadata.get("deletionGracePeriodSeconds") or 0
    finalizers = metadata.get("finalizers")
    if requested is None or requested >= current:
        return Decision(Outcome.UNCHANGED if current or finalizers else Outcome.GONE, obj)
    began = timestamps.from_text(metadata["deletionTimestamp"]) - timedelta(seconds=current)
    marked = {**obj, "metadata": dict(metadata)}
    marked["metadata"]["deletionTimestamp"] = timestamps.to_text(began + timedelta(seconds=requested))
    marked["metadata"]["deletionGracePeriodSeconds"] = requested
    return Decision(Outcome.MARKED if requested or finalizers else Outcome.GONE, marked)


def _mark(metadata: Object, moment: datetime, seconds: int) -> None:
    if "deletionTimestamp" not in metadata:
        metadata["deletionTimestamp"] = timestamps.to_text(moment)
        # Controllers act differently from now on, so this is a change like one of spec.
        if metadata.get("generation"):
            metadata["generation"] += 1
    metadata["deletionGracePeriodSeconds"] = seconds


def _finalizers(kind: Kind, obj: Object, options: DeleteOptions) -> list[str]:
    """The finalizers of ``obj`` with those of the garbage collector as ``options`` ask for."""
    present = obj["metadata"].get("finalizers") or []
    kept = [finalizer for finalizer in present if finalizer not in (ORPHAN_FINALIZER, FOREGROUND_FINALIZER)]
    policy = options.propagation_policy
    if options.orphan_dependents is not None:
        policy = ORPHAN if options.orphan_dependents else BACKGROUND
    if not policy:
        # What is on the object counts before what is usual for its kind.
        if ORPHAN_FINALIZER in present:
            policy = ORPHAN
        elif FOREGROUND_FINALIZER in present:
            policy = FOREGROUND
        else:
            policy = kind.default_propagation
    # Events own nothing, the garbage collector does not look at them (``eventStrategy`` of kube-apiserver, too).
    collected = kind.resource != EVENTS
    wanted = {ORPHAN: [ORPHAN_FINALIZER], FOREGROUND: [FOREGROUND_FINALIZER]}.get(policy, []) if collected else []
    finalizers = kept + wanted
    return present if set(finalizers) == set(present) else finalizers


def _check_preconditions(kind: Kind, entry: Entry, options: DeleteOptions) -> None:
    resource = kind.resource
    metadata, name = entry.document["metadata"], entry.key[2]
    qualified = f"{resource.kind}.{resource.group}" if resource.group else resource.kind
    reason = ""
    if options.uid and options.uid != metadata["uid"]:
        reason = (
            f"the UID in the precondition ({options.uid}) does not match the UID in record ({metadata['uid']}). The "
            "object might have been deleted and then recreated"
        )
    elif options.resource_version and options.resource_version != metadata["resourceVersion"]:
        reason = (
            f"the ResourceVersion in the precondition ({options.resource_version}) does not match the ResourceVersion "
            f"in record ({metadata['resourceVersion']}). The object might have been modified"
        )
    if reason:
        raise Conflict(
            f'Operation cannot be fulfilled on {qualified} "{name}": {reason}',
            name=name,
            group=resource.group,
            kind=resource.kind,
        )


async def _carry_out(context: Context, entry: Entry, decision: Decision, options: DeleteOptions) -> Object:
    if decision.outcome is Outcome.UNCHANGED or options.dry_run:
        return decision.obj
    obj = {**decision.obj, "metadata": dict(decision.obj["metadata"])}
    op: Op = (
        Put(entry.key, obj, entry.revision)
        if decision.outcome is Outcome.MARKED
        else Delete(entry.key, entry.revision, final=obj)
    )
    return await context.write(op)
