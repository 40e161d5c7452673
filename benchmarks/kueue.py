"""The three published workloads of Kueue's scheduler benchmark on virtual time: ``baseline``, ``large-scale``, ``tas``.

Decisions cost the CPU time that they take here, writes what a client limit of 50 a second makes of them, or nothing.
What the real scheduler needs for the same with its API replaced by nothing (measured, 2 cores): baseline 120 s when it
collects changes for a second before it looks again (its default) and 78 s at once, large-scale 26 s, tas 121 s;
0.4-0.8 ms of CPU per admitted job, 4 ms for tas. Published with 50 writes a second: 351, 1,179 and 401 s.

    python benchmarks/kueue.py [baseline] [large-scale] [tas] [--profile]

Not called queue.py: beside other scripts that name would hide the standard library's module from them.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from sidings.queue import workloads
from sidings.queue.preemption import Config
from sidings.queue.simulation import Arrival, Report, Simulation

CPUS = 20
BLOCK, RACK, HOST = "cloud.provider.com/topology-block", "cloud.provider.com/topology-rack", "kubernetes.io/hostname"
RACKS, HOSTS = 10, 64


class Size(NamedTuple):
    """``interval`` and ``runtime`` in seconds; ``pods`` of ``cpu`` each. ``topology``: annotations of the pod set."""

    name: str
    count: int
    interval: float
    runtime: float
    priority: int
    cpu: str
    pods: int = 1
    topology: dict[str, Any] | None = None


class Published(NamedTuple):
    """One workload: so many cohorts of so many queues, and what comes to each queue."""

    cohorts: int
    queues: int
    sizes: tuple[Size, ...]
    nodes: bool = False


def _placed(name: str, counts: tuple[int, int, int], slices: int, *rest: Any) -> tuple[Size, ...]:
    """A size of the tas workload in its three sorts: required, preferred, balanced."""
    interval, runtime, priority, cpu, pods = rest
    sorts = (
        {"required": RACK},
        {"preferred": RACK},
        {"preferred": RACK, "podSetSliceRequiredTopology": RACK, "podSetSliceSize": slices},
    )
    return tuple(
        Size(name, count, interval, runtime, priority, cpu, pods, sort)
        for count, sort in zip(counts, sorts, strict=True)
    )


WORKLOADS = {
    "baseline": Published(
        5,
        6,
        (
            Size("small", 350, 0.1, 0.2, 50, "1"),
            Size("medium", 100, 0.5, 0.5, 100, "5"),
            Size("large", 50, 1.2, 1.0, 200, "20"),
        ),
    ),
    "large-scale": Published(
        10,
        100,
        (
            Size("small", 35, 0.06, 0.15, 50, "1"),
            Size("medium", 11, 0.3, 0.35, 100, "5"),
            Size("large", 4, 0.7, 0.7, 200, "20"),
        ),
    ),
    "tas": Published(
        5,
        6,
        (
            *_placed("small", (120, 120, 110), 1, 0.1, 0.2, 50, "500m", 2),
            *_placed("medium", (34, 33, 33), 2, 0.5, 0.5, 100, "1250m", 4),
            *_placed("large", (17, 17, 16), 4, 1.2, 1.0, 200, "2500m", 8),
        ),
        nodes=True,
    ),
}
WAYS = (
    ("no limit on writes, changes collected for 1 s", 1.0, None),
    ("no limit on writes, changes looked at at once", 0.0, None),
    ("50 writes/s, changes collected for 1 s", 1.0, 50.0),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("workloads", nargs="*", choices=[*WORKLOADS, []], help="all unless some are named")
    parser.add_argument(
        "--profile", action="store_true", help="what the decisions of the first way spend their time on"
    )
    options = parser.parse_args()
    for name in options.workloads or WORKLOADS:
        for title, flush_after, limit in WAYS[:1] if options.profile else WAYS:
            print(f"{name}: {title}", flush=True)
            profiler = cProfile.Profile() if options.profile else None
            if profiler:
                profiler.enable()
            report = play(WORKLOADS[name], flush_after, limit)
            if profiler:
                profiler.disable()
                pstats.Stats(profiler).sort_stats("tottime").print_stats(15)
            print(told(WORKLOADS[name], report), flush=True)


def play(published: Published, flush_after: float, limit: float | None) -> Report:
    arrivals = [arrival for name in _names(published) for arrival in _arrivals(name, published.sizes)]
    simulation = Simulation(
        objects_of(published),
        arrivals,
        Config(),
        flush_after=flush_after,
        writes_per_second=limit,
        measure=time.process_time,
    )
    return simulation.run()


def objects_of(published: Published) -> list[dict[str, Any]]:
    """Its flavor, queues and nodes."""
    flavor = {"nodeLabels": {"tas-node-group": "tas"}, "topologyName": "default"} if published.nodes else {}
    queues = [_queue(name) for name in _names(published)]
    nodes = _nodes() if published.nodes else ()
    return [{"kind": "ResourceFlavor", "metadata": {"name": "rf"}, "spec": flavor}, *queues, *nodes]


def _names(published: Published) -> list[str]:
    return [f"cq-{queue}-cohort-{cohort}" for cohort in range(published.cohorts) for queue in range(published.queues)]


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


def _nodes() -> Iterator[dict[str, Any]]:
    yield {
        "kind": "Topology",
        "metadata": {"name": "default"},
        "spec": {"levels": [{"nodeLabel": level} for level in (BLOCK, RACK, HOST)]},
    }
    for rack in range(RACKS):
        for host in range(HOSTS):
            name = f"node-{rack}-{host}"
            labels = {BLOCK: "b0", RACK: f"r{rack}", HOST: name, "tas-node-group": "tas"}
            ready = {"type": "Ready", "status": "True"}
            yield {
                "kind": "Node",
                "metadata": {"name": name, "labels": labels},
                "spec": {},
                "status": {"allocatable": {"cpu": "96", "memory": "256Gi", "pods": "110"}, "conditions": [ready]},
            }


def _arrivals(queue: str, sizes: tuple[Size, ...]) -> Iterator[Arrival]:
    """All sorts of one size come one after the other, as the harness's creators make them."""
    begun: dict[str, int] = {}
    for size in sizes:
        for _ in range(size.count):
            index = begun[size.name] = begun.get(size.name, 0) + 1
            yield Arrival(
                size.interval * index,
                workloads.of_object(workload(f"{size.name}-{queue}-{index}", queue, size)),
                queue,
                size.runtime,
                size.name,
            )


def workload(name: str, queue: str, size: Size) -> dict[str, Any]:
    container = {"name": "c", "resources": {"requests": {"cpu": size.cpu}}}
    pod_set: dict[str, Any] = {
        "name": "main",
        "count": size.pods,
        "template": {"spec": {"containers": [container]}},
        **({"topologyRequest": size.topology} if size.topology else {}),
    }
    metadata = {"name": name, "namespace": queue, "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"}
    return {"metadata": metadata, "spec": {"queueName": queue, "priority": size.priority, "podSets": [pod_set]}}


def told(published: Published, report: Report) -> str:
    admitted = sum(len(waits) for waits in report.waits.values())
    means = ", ".join(f"{group} {statistics.mean(waits):.2f} s" for group, waits in report.waits.items())
    capacity = 1000 * CPUS * published.cohorts * published.queues * report.makespan
    return (
        f"  makespan {report.makespan:.1f} s, use {100 * report.busy['cpu'] / capacity:.1f} %\n"
        f"  mean time to admission: {means}\n"
        f"  {admitted} jobs, {report.evictions} evictions, {report.cycles} cycles, {report.writes} writes\n"
        f"  deciding {report.deciding:.1f} s, {1000 * report.deciding / admitted:.2f} ms per job"
    )


if __name__ == "__main__":
    main()
