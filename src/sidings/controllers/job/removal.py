"""Which active pods to remove when a Job has too many: those whose loss costs least.

Unscheduled before scheduled, pending before running, not ready before ready, lately ready before long ready, often
restarted before seldom, young before old (``ActivePods`` in pkg/controller/controller_utils.go, 1.36). Indexed Jobs
first lose pods without a place: those whose index is taken twice or does not exist (any more).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sidings.api import conditions, timestamps
from sidings.api.objects import Object
from sidings.controllers.job import pods

_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}
_NEVER = datetime.min.replace(tzinfo=UTC)


def choose(job: Object, active: Iterable[Object], at_least: int) -> list[Object]:
    """The pods to remove: all without a place, and cheap ones until there are ``at_least`` of them."""
    left = sorted(active, key=_worth)
    chosen: list[Object] = []
    if pods.is_indexed(job):
        chosen, left = _without_place(job, left)
    return chosen + left[: max(at_least - len(chosen), 0)]


def _without_place(job: Object, by_worth: list[Object]) -> tuple[list[Object], list[Object]]:
    """(pods without a place, the others); of pods with the same index the most worthy keeps it."""
    losers: list[Object] = []
    keepers: list[Object] = []
    taken: set[int] = set()
    for pod in reversed(by_worth):
        index = pods.index_in(pod, job)
        if index is None or index in taken:
            losers.append(pod)
        else:
            taken.add(index)
            keepers.append(pod)
    return losers[::-1], keepers[::-1]


def _worth(pod: Object) -> tuple[Any, ...]:
    """Sorts the cheapest pod first."""
    ready = pods.is_ready(pod)
    return (
        bool(pod["spec"].get("nodeName")),
        _PHASES.get(pods.phase_of(pod), 1),
        ready,
        -_seconds(_ready_since(pod)) if ready else 0.0,
        -pods.restarts(pod),
        -_seconds(timestamps.from_text(pod["metadata"]["creationTimestamp"])),
    )


def _ready_since(pod: Object) -> datetime:
    ready = conditions.find((pod.get("status") or {}).get("conditions"), "Ready")
    since = (ready or {}).get("lastTransitionTime")
    return timestamps.from_text(since) if since else _NEVER


def _seconds(moment: datetime) -> float:
    return (moment - _NEVER).total_seconds()
