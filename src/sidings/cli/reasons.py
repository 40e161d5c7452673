"""What is wrong with jobs that do not run, for the REASON column of ``get``: the first finding about each."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from sidings.answers.state import State, state_of

if TYPE_CHECKING:
    from sidings.answers.family import Family
    from sidings.answers.finding import Finding
    from sidings.client.interface import Client
    from sidings.clock import Clock
    from sidings.host.surroundings import Workloads

MOST_JOBS = 20
"""More are not explained: a table is to come at once, and ``why`` explains any of them."""

_WELL = frozenset({State.RUNNING, State.SUCCEEDED})


async def of_families(
    client: Client, clock: Clock, families: Sequence[Family], options: str, seen: Workloads | None = None
) -> dict[str, Finding]:
    """By uid of the job; those that run, end well or only wait have none. ``seen`` Workloads are not read again."""
    troubled = list(islice((family for family in families if state_of(family).state not in _WELL), MOST_JOBS))
    if not troubled:
        return {}
    from sidings.answers import standing
    from sidings.answers.finding import Severity
    from sidings.answers.why import chain, scheduling
    from sidings.api.objects import namespace_of, uid_of
    from sidings.api.resources import PODS, WORKLOADS
    from sidings.host import surroundings

    found: dict[str, Finding] = {}
    for namespace in dict.fromkeys(namespace_of(family.root) for family in troubled):
        here = [family for family in troubled if namespace_of(family.root) == namespace]
        without = [] if any(scheduling.is_without_node(family) for family in here) else [PODS]
        around = await surroundings.read(client, clock, namespace, options, without=[*without, WORKLOADS])
        around = await surroundings.with_workloads(client, around, namespace, seen)
        stood = standing.of(around)
        for family in here:
            findings = chain.answer(family, around, stood).findings
            if findings and findings[0].severity is not Severity.NOTE:
                found[uid_of(family.root)] = findings[0]
    return found


def text(found: Finding, reason: str) -> str:
    """``SDG-110: <reason>``; what the cluster itself says comes first, because people search for it."""
    return f"{found.code}: {reason or found.what}"
