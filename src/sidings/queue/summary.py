"""What a simulation showed, by queue: how long jobs waited, how much was used, who had to make room."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sidings.queue import amounts
from sidings.queue.simulation import Arrival, Happening, Report, What
from sidings.queue.snapshot import Snapshot
from sidings.queue.workloads import Workload


@dataclass
class QueueSummary:
    """Times in seconds. ``use``: part of its nominal quota that was used until the last job ended, by resource."""

    queue: str
    jobs: int = 0
    admitted: int = 0
    finished: int = 0
    evictions: int = 0
    mean_wait: float = 0.0
    longest_wait: float = 0.0
    use: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Interval:
    """A job that held quota of ``queue`` from ``begin`` to ``end``; ``evicted``: it had to go."""

    queue: str
    job: str
    begin: float
    end: float
    evicted: bool


def intervals(report: Report, arrivals: Sequence[Arrival]) -> list[Interval]:
    """When which job held quota, in the order of its end."""
    queue_of = {arrival.workload.key: arrival.cluster_queue for arrival in arrivals}
    begun: dict[str, float] = {}
    found = []
    for happening in report.history:
        if happening.what is What.ADMITTED:
            begun[happening.workload] = happening.at
        else:
            begin = begun.pop(happening.workload)
            evicted = happening.what is What.EVICTED
            found.append(Interval(queue_of[happening.workload], happening.workload, begin, happening.at, evicted))
    return found


def by_queue(report: Report, arrivals: Sequence[Arrival], snapshot: Snapshot) -> list[QueueSummary]:
    """One summary for each ClusterQueue of ``snapshot`` that jobs came to, by name."""
    told: dict[str, QueueSummary] = {}
    waits: dict[str, list[float]] = {}
    first = _first_admissions(report.history)
    for arrival in arrivals:
        summary = told.setdefault(arrival.cluster_queue, QueueSummary(arrival.cluster_queue))
        summary.jobs += 1
        if arrival.workload.key in first:
            summary.admitted += 1
            waits.setdefault(arrival.cluster_queue, []).append(first[arrival.workload.key] - arrival.at)
    workload_of = {arrival.workload.key: arrival.workload for arrival in arrivals}
    busy: dict[str, dict[str, float]] = {}
    for interval in intervals(report, arrivals):
        summary = told[interval.queue]
        summary.evictions += interval.evicted
        summary.finished += not interval.evicted
        used = busy.setdefault(interval.queue, {})
        for name, amount in _requests(workload_of[interval.job]).items():
            used[name] = used.get(name, 0.0) + amount * (interval.end - interval.begin)
    for name, summary in told.items():
        if found := waits.get(name):
            summary.mean_wait, summary.longest_wait = statistics.mean(found), max(found)
        nominal = _nominal(snapshot, name)
        span = report.makespan or 1.0
        summary.use = {r: busy.get(name, {}).get(r, 0.0) / (total * span) for r, total in nominal.items() if total}
    return [told[name] for name in sorted(told)]


def never(report: Report, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Jobs that were never admitted."""
    first = _first_admissions(report.history)
    return [arrival for arrival in arrivals if arrival.workload.key not in first]


def _first_admissions(history: Sequence[Happening]) -> dict[str, float]:
    found: dict[str, float] = {}
    for happening in history:
        if happening.what is What.ADMITTED:
            found.setdefault(happening.workload, happening.at)
    return found


def _requests(workload: Workload) -> Mapping[str, int]:
    total: dict[str, int] = {}
    for pod_set in workload.pod_sets:
        for name, amount in pod_set.requests.items():
            total[name] = total.get(name, 0) + amount * pod_set.count
    return total


def _nominal(snapshot: Snapshot, queue: str) -> dict[str, int]:
    total: dict[str, int] = {}
    for (_, resource), quota in snapshot.queues[queue].quotas.items():
        if resource != amounts.PODS:
            total[resource] = total.get(resource, 0) + quota.nominal
    return total
