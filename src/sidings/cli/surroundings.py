"""Reads what answers need from whatever cluster the user means: queues, nodes, claims, pods of everybody, ends of logs.

A kind that the user may not list in all namespaces is listed in the job's, and told as unreadable where not even that
works: on a cluster that is shared, a user sees little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sidings.answers.failure import first_failure
from sidings.answers.family import Family, phase_of
from sidings.answers.log_tail import telling
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import collectives, containers, transport
from sidings.api.kueue.configuration import NAME, NAMESPACE, Configuration, ConfigurationError, of_config_map
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
MOST_LOGS = 32
"""Of a large gang so many ranks are heard; one that is missing shows in its state as well."""


async def read(client: Client, clock: Clock, namespace: str, options: str) -> Surroundings:
    """Everything around the jobs of ``namespace``."""
    wanted = [(kind, "") for kind in SHARED] + [(kind, namespace) for kind in OWN]
    lists = await asyncio.gather(*(_list(client, kind, place, namespace) for kind, place in wanted))
    objects = {kind.kind: items for (kind, _), items in zip(wanted, lists, strict=True) if items is not None}
    unreadable = frozenset(kind.kind for (kind, _), items in zip(wanted, lists, strict=True) if items is None)
    configuration = await _configuration(client)
    return Surroundings(clock.now(), objects, unreadable, options=options, configuration=configuration)


async def _configuration(client: Client) -> Configuration:
    """Kueue's own; its defaults for a user who may not see it, as for Kueue itself where it is not readable text."""
    try:
        return of_config_map(await client.get(CONFIG_MAPS, NAME, NAMESPACE))
    except (ApiError, ConfigurationError):
        return Configuration()


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
    """``around`` with the ends of those logs that tell: of the container that failed first, and of its peers where
    they waited for each other; of a running rank where several share a node."""
    failure = first_failure(family)
    if failure is None:
        pods = [(pod, pod["spec"]["containers"][0]["name"]) for pod in transport.sharing(family)[:1]]
        return replace(around, logs={**around.logs, **await _tails(client, pods)})
    lines = await tail_of(client, failure.pod, failure.container, lines=LINES_READ, previous=failure.previous)
    logs = {**around.logs, uid_of(failure.pod): lines}
    sign = containers.sign_in(telling(lines, LINES_READ))
    if sign is not None and sign[0] in collectives.CODES:
        peers = [
            (pod, failure.container) for pod in family.pods if pod is not failure.pod and phase_of(pod) != "Pending"
        ]
        logs |= await _tails(client, peers[:MOST_LOGS])
    return replace(around, logs=logs)


async def _tails(client: Client, wanted: Sequence[tuple[Object, str]]) -> dict[str, list[str]]:
    """The ends of the logs of (pod, container), by uid of the pod."""
    tails = await asyncio.gather(*(tail_of(client, pod, name, lines=LINES_READ) for pod, name in wanted))
    return {uid_of(pod): lines for (pod, _), lines in zip(wanted, tails, strict=True)}
