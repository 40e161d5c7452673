"""What hangs below an object: ``status``, ``finalize``, and what can only be created, ``binding`` and ``eviction``.

``pkg/registry/core/pod/storage`` (v1.36) is what binding and eviction follow.
"""

from __future__ import annotations

from sidings.api import conditions, disruption, fields, timestamps
from sidings.api import options as asked
from sidings.api.kind import Kind
from sidings.api.objects import Object, copy_of
from sidings.api.options import WriteOptions
from sidings.api.resources import DISRUPTION_BUDGETS, PODS
from sidings.api.status import BadRequest, Conflict, MethodNotAllowed, NotFound
from sidings.registry import delete as deletion
from sidings.registry import versions
from sidings.registry.context import Context, not_found
from sidings.registry.listing import Item, item_of
from sidings.store.entries import Entry, Put
from sidings.store.errors import KeyChanged

ADDRESSABLE = frozenset({"status", "finalize"})

CREATED: Object = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
EVICTED = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}


def must_have(kind: Kind, name: str, subresource: str) -> None:
    """Raises ``NotFound`` where ``kind`` has no such subresource that can be read and written as an object."""
    if not subresource or (subresource in ADDRESSABLE and subresource in kind.subresources):
        return
    if kind.builtin:
        raise NotFound("the server could not find the requested resource")
    raise not_found(kind.resource, name)


def get(context: Context, kind: Kind, name: str, namespace: str, subresource: str, resource_version: str) -> Item:
    must_have(kind, name, subresource)
    try:
        versions.must_be_reached(versions.parse(resource_version), context.store.revision)
    except ValueError as error:
        raise BadRequest(f"invalid resource version: {error}") from error
    return item_of(context.entry(kind, name, namespace))


async def create(
    context: Context, kind: Kind, name: str, subresource: str, obj: Object, namespace: str, options: WriteOptions
) -> Object:
    if kind.resource == PODS and subresource == "binding":
        return await _bind(context, kind, name, obj, namespace, options)
    if kind.resource == PODS and subresource == "eviction":
        return await _evict(context, kind, name, obj, namespace, options)
    if subresource in kind.subresources:
        qualified = kind.resource.group_resource
        raise MethodNotAllowed(
            f'create is not supported on resources of kind "{qualified}"',
            group=kind.resource.group,
            kind=kind.resource.plural,
        )
    context.entry(kind, name, namespace)
    must_have(kind, name, subresource)
    return CREATED


def finalized(wanted: Object, old: Object) -> Object:
    """``/finalize``: ``old`` with the ``spec.finalizers`` of ``wanted``, at the version that ``wanted`` names."""
    new = {**old, "metadata": dict(old["metadata"]), "spec": dict(old.get("spec") or {})}
    version = wanted["metadata"].get("resourceVersion")
    if version:
        new["metadata"]["resourceVersion"] = version
    new["spec"]["finalizers"] = (wanted.get("spec") or {}).get("finalizers") or []
    return new


async def _bind(
    context: Context, kind: Kind, name: str, binding: Object, namespace: str, options: WriteOptions
) -> Object:
    target, metadata = binding.get("target") or {}, binding.get("metadata") or {}
    errors = []
    if target.get("kind") not in (None, "", "Node"):
        errors.append(fields.not_supported("target.kind", target["kind"], ["Node", "<empty>"]))
    if not target.get("name"):
        errors.append(fields.required("target.name"))
    if errors:
        raise fields.to_invalid("", "Binding", name, errors)
    while True:
        entry = context.entry(kind, name, namespace)
        if reason := _unbindable(entry.document, metadata.get("uid") or ""):
            raise Conflict(
                f'Operation cannot be fulfilled on pods/binding "{name}": {reason}', name=name, kind="pods/binding"
            )
        pod = copy_of(entry.document)
        pod["spec"]["nodeName"] = target["name"]
        for field in ("annotations", "labels"):
            if metadata.get(field):
                pod["metadata"][field] = {**(pod["metadata"].get(field) or {}), **metadata[field]}
        _set_condition(context, pod, {"type": "PodScheduled", "status": "True"})
        if await _written(context, entry, pod, dry_run=options.dry_run):
            return CREATED


def _unbindable(pod: Object, uid: str) -> str:
    """Why ``pod`` cannot be given to a node; empty if it can."""
    metadata, spec = pod["metadata"], pod["spec"]
    if uid and uid != metadata["uid"]:
        return f"Precondition failed: UID in precondition: {uid}, UID in object meta: {metadata['uid']}"
    if metadata.get("deletionTimestamp"):
        return f"pod {metadata['name']} is being deleted, cannot be assigned to a host"
    if spec.get("nodeName"):
        return f'pod {metadata["name"]} is already assigned to node "{spec["nodeName"]}"'
    if spec.get("schedulingGates"):
        return f"pod {metadata['name']} has non-empty .spec.schedulingGates"
    return ""


async def _evict(
    context: Context, kind: Kind, name: str, eviction: Object, namespace: str, options: WriteOptions
) -> Object:
    wanted = eviction.get("deleteOptions") or {}
    preconditions = wanted.get("preconditions") or {}
    dry_run = options.dry_run or bool(wanted.get("dryRun"))
    while True:
        entry = context.entry(kind, name, namespace)
        if entry.document["metadata"].get("deletionTimestamp"):
            break
        refused = disruption.refusal(
            entry.document, context.list(DISRUPTION_BUDGETS, namespace), context.list(PODS, namespace)
        )
        if refused is not None:
            raise refused
        pod = copy_of(entry.document)
        _set_condition(context, pod, EVICTED)
        if await _written(context, entry, pod, dry_run=dry_run):
            break
    await deletion.delete(
        context,
        kind,
        name,
        namespace,
        asked.DeleteOptions(
            grace_period_seconds=wanted.get("gracePeriodSeconds"),
            propagation_policy=wanted.get("propagationPolicy") or "",
            uid=preconditions.get("uid") or "",
            dry_run=dry_run,
            warn=options.warn,
        ),
    )
    return CREATED


def _set_condition(context: Context, pod: Object, condition: Object) -> None:
    """Set ``condition`` as ``podutil.UpdatePodCondition`` does; its time changes only with its status."""
    status = pod.setdefault("status", {})
    present = status.get("conditions") or []
    known = conditions.find(present, condition["type"])
    moment = timestamps.to_text(context.now())
    if known is not None and known["status"] == condition["status"]:
        moment = known["lastTransitionTime"]
    new = {"lastProbeTime": None, "lastTransitionTime": moment, **condition}
    status["conditions"] = [new if each is known else each for each in present] if known else [*present, new]


async def _written(context: Context, entry: Entry, pod: Object, *, dry_run: bool) -> bool:
    """False where somebody else has written the pod meanwhile."""
    if dry_run:
        return True
    try:
        await context.write(Put(entry.key, pod, entry.revision))
    except KeyChanged:
        return False
    return True
