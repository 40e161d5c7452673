"""The published workload of Kueue's scheduler benchmark ("baseline") on virtual time.

30 queues in 5 cohorts, 20 CPUs each, 500 jobs per queue in three sizes. Decisions cost the time that they take here,
writes what a client limit of 50 a second makes of them, or nothing. Ideal makespan: 66 s of work, 60 s of arrivals.
The real scheduler, measured the same way with its API replaced by nothing: 120 s when it collects changes for a second
before it looks again (its default), 78 s at once; 0.8 ms of CPU per admitted job.

    python benchmarks/kueue.py

Not called queue.py: beside other scripts that name would hide the standard library's module from them.
"""

from __future__ import annotations

import statistics
import time
from typing import Any, NamedTuple

from sidings.queue import workloads
from sidings.queue.preemption import Config
from sidings.queue.simulation import Arrival, Report, Simulation

COHORTS, QUEUES, CPUS = 5, 6, 20


class Size(NamedTuple):
    """``interval`` and ``runtime`` in seconds."""

    name: str
    count: int
    interval: float
    runtime: float
    priority: int
    cpus: int


SIZES = (
    Size("small", 350, 0.1, 0.2, 50, 1),
    Size("medium", 100, 0.5, 0.5, 100, 5),
    Size("large", 50, 1.2, 1.0, 200, 20),
)


def main() -> None:
    for title, flush_after, limit in (
        ("no limit on writes, changes collected for 1 s", 1.0, None),
        ("no limit on writes, changes looked at at once", 0.0, None),
        ("50 writes/s, changes collected for 1 s", 1.0, 50.0),
    ):
        names = [f"cq-{queue}-cohort-{cohort}" for cohort in range(COHORTS) for queue in range(QUEUES)]
        objects = [{"kind": "ResourceFlavor", "metadata": {"name": "rf"}, "spec": {}}, *map(_queue, names)]
        arrivals = [arrival for name in names for size in SIZES for arrival in _arrivals(name, size)]
        simulation = Simulation(
            objects,
            arrivals,
            Config(),
            flush_after=flush_after,
            writes_per_second=limit,
            measure=time.perf_counter,
        )
        print(f"{title}\n{_told(simulation.run())}", flush=True)


def _queue(name: str) -> dict[str, Any]:
    quota = {"name": "cpu", "nominalQuota": str(CPUS), "borrowingLimit": "100"}
    group = {"coveredResources": ["cpu"], "flavors": [{"name": "rf", "resources": [quota]}]}
    return {
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": {
            "cohortName": name[name.index("cohort") :],
            "namespaceSelector": {},
            "preemption": {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "resourceGroups": [group],
        },
    }


def _arrivals(queue: str, size: Size) -> list[Arrival]:
    container = {"name": "c", "resources": {"requests": {"cpu": str(size.cpus)}}}
    pod_set = {"name": "main", "count": 1, "template": {"spec": {"containers": [container]}}}
    result = []
    for index in range(size.count):
        name = f"{size.name}-{queue}-{index}"
        obj = {
            "metadata": {"name": name, "namespace": queue, "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"queueName": queue, "priority": size.priority, "podSets": [pod_set]},
        }
        at = size.interval * (index + 1)
        result.append(Arrival(at, workloads.of_object(obj), queue, size.runtime, size.name))
    return result


def _told(report: Report) -> str:
    admitted = sum(len(waits) for waits in report.waits.values())
    means = ", ".join(f"{group} {statistics.mean(waits):.2f} s" for group, waits in report.waits.items())
    capacity = 1000 * CPUS * COHORTS * QUEUES * report.makespan
    return (
        f"  makespan {report.makespan:.1f} s, use {100 * report.busy['cpu'] / capacity:.1f} %\n"
        f"  mean time to admission: {means}\n"
        f"  {admitted} jobs, {report.evictions} evictions, {report.cycles} cycles, {report.writes} writes\n"
        f"  deciding {report.deciding:.1f} s, {1000 * report.deciding / admitted:.2f} ms per job"
    )


if __name__ == "__main__":
    main()
