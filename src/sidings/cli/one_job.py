"""One job with what belongs to it, and what is around it, without reading the ten thousand others.

Roots are asked for by name and their descendants by label. Pods of everybody matter only to a pod that finds no node,
and other Workloads only to one that waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from sidings.answers import suspension
from sidings.answers.family import JOB_LABELS, ROOTS, TRAINING_JOBS, Family, families
from sidings.answers.finding import Severity
from sidings.answers.why import chain, scheduling
from sidings.api import conditions
from sidings.api.objects import Object, controller_of, name_of, uid_of
from sidings.api.resources import EVENTS, JOB_SETS, JOBS, PODS, TRAIN_JOBS, WORKLOADS, Resource
from sidings.api.status import ApiError, NotFound
from sidings.cli import jobs
from sidings.cli.surroundings import read_log
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.host import kueue_versions, surroundings
from sidings.queue.workloads import JOB_UID_LABEL

MOST_NAMED = 16
"""Of the Jobs and pods of a job, about how many warnings are read: the same goes wrong with all of them."""


async def find(client: Client, resource: Resource | None, name: str, namespace: str) -> Family:
    """As ``jobs.find``, which is asked where nothing is called so: it knows what is near."""
    kinds = ROOTS[ROOTS.index(resource or TRAIN_JOBS) :]
    got = await asyncio.gather(*(_get(client, kind, name, namespace) for kind in kinds))
    roots: dict[Resource, list[Object]] = {kind: [] for kind in ROOTS} | dict(zip(kinds, got, strict=True))
    if not any(roots.values()):
        return await jobs.find(client, resource, name, namespace)
    labelled = await asyncio.gather(
        *(_list(client, kind, namespace, f"{label}={name}") for kind in (JOBS, PODS) for label in JOB_LABELS)
    )
    made = _each_once(roots[JOBS], *labelled[: len(JOB_LABELS)])
    if jobs.choose_their_pods(made):
        return await jobs.find(client, resource, name, namespace)
    pods = _each_once(*labelled[len(JOB_LABELS) :])
    named = dict.fromkeys([name, *(name_of(obj) for obj in (*made[:MOST_NAMED], *pods[:MOST_NAMED]))])
    warnings = await asyncio.gather(*(_warnings(client, namespace, each) for each in named))
    workloads = await asyncio.gather(
        *(_workloads(client, namespace, uid_of(obj)) for items in roots.values() for obj in items)
    )
    found = families(
        train_jobs=roots[TRAIN_JOBS],
        training_jobs=[job for kind in TRAINING_JOBS for job in roots[kind]],
        job_sets=roots[JOB_SETS],
        jobs=made,
        pods=pods,
        events=_each_once(*warnings),
        workloads=[workload for items in workloads for workload in items],
    )
    for family in found:
        is_made = resource is None and controller_of(family.root) is not None
        if name_of(family.root) == name and resource in (None, jobs.resource_of(family)) and not is_made:
            return family
    return await jobs.find(client, resource, name, namespace)


async def answer(client: Client, clock: Clock, family: Family, namespace: str, options: str) -> chain.Answer:
    """Why the job is as it is. Other Workloads are read only where it is not told without them: one that asks for more
    than its queue ever has, or whose queue is broken, has nobody to wait for."""
    without = [] if scheduling.is_without_node(family) else [PODS]
    if family.workload is not None:
        known = await surroundings.read(client, clock, namespace, options, without=[*without, WORKLOADS])
        known = await read_log(client, family, known)
        told = chain.answer(family, replace(known, objects={**known.objects, WORKLOADS.kind: [family.workload]}))
        has_quota = conditions.is_true(family.workload, "QuotaReserved") or not suspension.is_suspended(family.root)
        if has_quota or any(found.severity is Severity.ERROR for found in told.findings):
            return told
        known = await surroundings.with_workloads(client, known, namespace)
    else:
        known = await surroundings.read(client, clock, namespace, options, without=without)
        known = await read_log(client, family, known)
    return chain.answer(family, known)


async def _get(client: Client, resource: Resource, name: str, namespace: str) -> list[Object]:
    try:
        found = await client.get(resource, name, namespace)
    except NotFound:
        return []
    return [{"apiVersion": resource.api_version, "kind": resource.kind, **found}]


async def _list(client: Client, resource: Resource, namespace: str, label_selector: str) -> list[Object]:
    return (await client.list(resource, namespace, label_selector=label_selector)).items


async def _warnings(client: Client, namespace: str, name: str) -> list[Object]:
    """About whatever is called so."""
    return (await client.list(EVENTS, namespace, field_selector=f"involvedObject.name={name},type=Warning")).items


async def _workloads(client: Client, namespace: str, uid: str) -> list[Object]:
    """None where the cluster has no queue, or keeps it to itself."""
    try:
        return (await kueue_versions.listed(client, WORKLOADS, namespace, f"{JOB_UID_LABEL}={uid}"))[0]
    except ApiError:
        return []


def _each_once(*lists: Iterable[Object]) -> list[Object]:
    return list({uid_of(obj): obj for items in lists for obj in items}.values())
