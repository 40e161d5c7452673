"""Reads what answers need from whatever cluster is asked about: queues, nodes, claims, pods of everybody.

A kind that the user may not list in all namespaces is listed in the job's, and told as unreadable where not even that
works: on a cluster that is shared, a user sees little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from sidings.answers.surroundings import Surroundings
from sidings.api.kueue.configuration import NAME, NAMESPACE, Configuration, ConfigurationError, of_config_map
from sidings.api.objects import Object
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
from sidings.client.interface import Client
from sidings.clock import Clock
from sidings.host import kueue_versions

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


class Workloads(NamedTuple):
    """Those of ``namespace`` (``""``: of all), and the version that they were read in."""

    namespace: str
    items: list[Object]
    version: str


async def read(
    client: Client, clock: Clock, namespace: str, options: str, *, without: Collection[Resource] = ()
) -> Surroundings:
    """Everything around the jobs of ``namespace``; kinds that do not matter may be left out: there may be many."""
    wanted = [(kind, "") for kind in SHARED if kind not in without] + [(kind, namespace) for kind in OWN]
    lists, configuration = await asyncio.gather(
        asyncio.gather(*(_list(client, kind, place, namespace) for kind, place in wanted)), _configuration(client)
    )
    given = {kind: found for (kind, _), found in zip(wanted, lists, strict=True) if found is not None}
    objects = {kind.kind: items for kind, (items, _) in given.items()}
    version = given[WORKLOADS][1] if WORKLOADS in given else ""
    unreadable = frozenset(kind.kind for kind, _ in wanted if kind not in given)
    around = Surroundings(clock.now(), objects, unreadable, options=options, configuration=configuration)
    return replace(around, kueue_version=version) if version else around


async def with_workloads(
    client: Client, around: Surroundings, namespace: str, seen: Workloads | None = None
) -> Surroundings:
    """What was read without Workloads, with them; those that were ``seen`` are not read again."""
    found = await (_list(client, WORKLOADS, "", namespace) if seen is None else _with_others(client, seen))
    if found is None:
        return replace(around, unreadable=around.unreadable | {WORKLOADS.kind})
    return replace(around, objects={**around.objects, WORKLOADS.kind: found[0]}, kueue_version=found[1])


async def _with_others(client: Client, seen: Workloads) -> tuple[list[Object], str]:
    """Those of other namespaces as well, where the user may see them."""
    if not seen.namespace:
        return seen.items, seen.version
    try:
        elsewhere = f"metadata.namespace!={seen.namespace}"
        others, _ = await kueue_versions.listed(client, WORKLOADS, "", field_selector=elsewhere)
    except ApiError:
        others = []
    return [*seen.items, *others], seen.version


async def _configuration(client: Client) -> Configuration:
    """Kueue's own; its defaults for a user who may not see it, as for Kueue itself where it is not readable text."""
    try:
        return of_config_map(await client.get(CONFIG_MAPS, NAME, NAMESPACE))
    except (ApiError, ConfigurationError):
        return Configuration()


async def _list(client: Client, resource: Resource, place: str, namespace: str) -> tuple[list[Object], str] | None:
    """Objects and the version that they were read in; None where the server does not give them."""
    try:
        return await kueue_versions.listed(client, resource, place)
    except ApiError:
        if place == namespace or not resource.namespaced:
            return None
        return await _list(client, resource, namespace, namespace)
