"""A job that is not submitted: as the server would store it, and the Workload that Kueue would make of it.

The server is asked with ``dryRun=All``, so defaults, webhooks and refusals are its own; nothing is stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from sidings.answers.surroundings import Surroundings
from sidings.api.kueue import jobs
from sidings.api.objects import Object, copy_of, name_of, namespace_of
from sidings.api.resources import CLUSTER_TRAINING_RUNTIMES, NAMESPACES, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import NotFound
from sidings.api.timestamps import to_text
from sidings.api.trainer import runtimes
from sidings.cli.coming import stand_in
from sidings.cli.manifest import Document
from sidings.client import apply
from sidings.client.interface import Client
from sidings.controllers.kueue.jobs import plan
from sidings.controllers.kueue.jobs.controller import INTEGRATIONS
from sidings.controllers.kueue.jobs.integration import Integration

STAND_IN = "default"
"""Where objects are tried whose namespace is in the same manifests and not there yet; every cluster has it."""


async def stored(
    client: Client,
    resource: Resource,
    document: Document,
    namespace: str,
    coming: Collection[str] = (),
    runtime: Object | None = None,
) -> Object:
    """The object as a dry run gives it. Raises ``ApiError`` where the server refuses.

    ``coming`` are namespaces that the same manifests bring, ``runtime`` is what a TrainJob refers to and they bring.
    """
    if runtime is not None and (ref := await stand_in(client, runtime)) is not None:
        own = document.obj["spec"]["runtimeRef"]
        tried = replace(document, obj={**document.obj, "spec": {**document.obj["spec"], "runtimeRef": ref}})
        made = await stored(client, resource, tried, namespace, coming)
        return {**made, "spec": {**made["spec"], "runtimeRef": {"kind": CLUSTER_TRAINING_RUNTIMES.kind, **own}}}
    obj = document.obj
    target = namespace_of(obj) or namespace
    if resource.namespaced and target in coming:
        moved = {**obj, "metadata": {**obj["metadata"], "namespace": STAND_IN}}
        made = await _created(client, resource, moved, STAND_IN)
        return {**made, "metadata": {**made["metadata"], "namespace": target}}
    if obj["metadata"].get("name"):
        applied = await apply.apply(client, resource, obj, namespace=namespace, force=True, dry_run=True)
        return _named(resource, applied.obj)
    return await _created(client, resource, obj, target)


async def _created(client: Client, resource: Resource, obj: Object, namespace: str) -> Object:
    manager = apply.FIELD_MANAGER
    made = await client.create(
        resource, obj, namespace=namespace, field_manager=manager, dry_run=True, field_validation="Strict"
    )
    return _named(resource, made)


async def missing_namespaces(client: Client, given: Iterable[Object]) -> set[str]:
    """Of the Namespaces among ``given`` those that the server does not have yet."""
    names = {name_of(obj) for obj in given if obj["kind"] == NAMESPACES.kind and obj["metadata"].get("name")}
    there = {name_of(obj) for obj in (await client.list(NAMESPACES)).items} if names else set()
    return names - there


def _named(resource: Resource, obj: Object) -> Object:
    return {"apiVersion": resource.api_version, "kind": resource.kind, **obj}


def integration_of(resource: Resource) -> Integration | None:
    """How the queue reads a kind; None for what is no job."""
    found = (one for one in INTEGRATIONS if one.resource.group_resource == resource.group_resource)
    return next(found, None)


async def runtime_of(client: Client, job: Object, coming: Object | None = None) -> Object | None:
    """The runtime of a TrainJob, ``coming`` or the server's; None for other kinds and where it is missing."""
    resource = runtimes.resource_of(job) if job["kind"] == TRAIN_JOBS.kind else None
    if resource is None or coming is not None:
        return coming
    try:
        name = job["spec"]["runtimeRef"]["name"]
        found = await client.get(resource, name, namespace_of(job) if resource.namespaced else "")
    except NotFound:
        return None
    return _named(resource, found)


def workload_of(kind: Integration, job: Object, runtime: Object | None, around: Surroundings) -> Object | str:
    """The Workload, or why there would be none."""
    held = copy_of(job)
    jobs.hold(kind.resource, held)
    classes = {
        name: {name_of(o): o for o in around.of_kind(name)} for name in ("WorkloadPriorityClass", "PriorityClass")
    }
    snapshot = plan.Snapshot(
        job=held,
        workloads=(),
        made_from=runtime,
        workload_classes=classes["WorkloadPriorityClass"],
        pod_classes=classes["PriorityClass"],
    )
    due = plan.plan(kind, snapshot, around.configuration, around.now)
    if not due.creates:
        return "; ".join(note.message for note in due.events) or "the job has ended"
    workload = copy_of(due.creates[0].obj)
    workload["metadata"] |= {"uid": job["metadata"]["uid"], "creationTimestamp": to_text(around.now)}
    return {**workload, "apiVersion": WORKLOADS.api_version, "kind": WORKLOADS.kind}
