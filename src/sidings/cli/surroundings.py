"""Reads the ends of those logs that tell why a job is as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sidings.answers.failure import first_failure
from sidings.answers.family import Family, phase_of
from sidings.answers.log_tail import telling
from sidings.answers.surroundings import Surroundings
from sidings.answers.why import collectives, containers, transport
from sidings.api.objects import Object, uid_of
from sidings.cli.failure import LINES_READ
from sidings.cli.log_stream import tail_of
from sidings.client.interface import Client

MOST_LOGS = 32
"""Of a large gang so many ranks are heard; one that is missing shows in its state as well."""


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
