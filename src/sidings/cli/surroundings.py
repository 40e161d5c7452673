"""Reads what answers need from whatever cluster the user means: queues, nodes, claims, pods of everybody, ends of logs.

A kind that the user may not list in all namespaces is listed in the job's, and told as unreadable where not even that
works: on a cluster that is shared, a user sees little.
"""

from __future__ import annotations

import asyncio

from sidings.answers.failure import first_failure
from sidings.answers.family import Family
from sidings.answers.surroundings import Surroundings
from sidings.api.objects import Object, uid_of
from sidings.api.resources import (
    ADMISSION_CHECKS,
    CLAIMS,
    CLUSTER_QUEUES,
    COHORTS,
    CONFIG_MAPS,
    LIMIT_RANGES,
    LOCAL_QUEUES,
    NAMESPACES,
    NODES,
    PODS,
    PRIORITY_CLASSES,
    RESOURCE_FLAVORS,
    SECRETS,
    TOPOLOGIES,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
    Resource,
)
from sidings.api.status import ApiError
from sidings.cli.failure import LINES_READ
from sidings.cli.log_stream import tail_of
from sidings.client.interface import Client
from sidings.clock import Clock

SHARED: tuple[Resource, ...] = (
    RESOURCE_FLAVORS,
    CLUSTER_QUEUES,
    COHORTS,
    TOPOLOGIES,
    ADMISSION_CHECKS,
    NODES,
    NAMESPACES,
    LOCAL_QUEUES,
    WORKLOADS,
    PODS,
    PRIORITY_CLASSES,
    WORKLOAD_PRIORITY_CLASSES,
)
"""Kinds of which everybody's objects count."""
OWN: tuple[Resource, ...] = (CLAIMS, CONFIG_MAPS, SECRETS, LIMIT_RANGES)
"""Kinds of which only those of the job's namespace count."""


async def read(client: Client, clock: Clock, namespace: str, options: str) -> Surroundings:
    """Everything around the jobs of ``namespace``."""
    wanted = [(kind, "") for kind in SHARED] + [(kind, namespace) for kind in OWN]
    lists = await asyncio.gather(*(_list(client, kind, place, namespace) for kind, place in wanted))
    objects = {kind.kind: items for (kind, _), items in zip(wanted, lists, strict=True) if items is not None}
    unreadable = frozenset(kind.kind for (kind, _), items in zip(wanted, lists, strict=True) if items is None)
    return Surroundings(clock.now(), objects, unreadable, options=options)


async def _list(client: Client, resource: Resource, place: str, namespace: str) -> list[Object] | None:
    """Objects with their apiVersion and kind; None where the server does not give them."""
    try:
        page = await client.list(resource, place)
    except ApiError:
        if place == namespace or not resource.namespaced:
            return None
        return await _list(client, resource, namespace, namespace)
    return [{"apiVersion": resource.api_version, "kind": resource.kind, **item} for item in page.items]


async def read_log(client: Client, family: Family, around: Surroundings) -> Surroundings:
    """``around`` with the end of the log of the container that failed first."""
    failure = first_failure(family)
    if failure is None:
        return around
    lines = await tail_of(client, failure.pod, failure.container, lines=LINES_READ, previous=failure.previous)
    logs = {**around.logs, uid_of(failure.pod): lines}
    return Surroundings(around.now, around.objects, around.unreadable, logs, around.options)
