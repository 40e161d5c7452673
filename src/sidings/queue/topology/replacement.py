"""New places for pods whose nodes have failed, while the rest of the workload stays where it is.

What had to be in one domain stays in it: the domain that the request requires, or that of a slice which lost a part of
its pods. Nobody is preempted for it; where there is no place the workload is evicted as a whole
(pkg/cache/scheduler/tas_flavor_snapshot.go, Kueue v0.19).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import NamedTuple

from sidings.api.kueue.topology_assignment import Placement
from sidings.queue.snapshot import Snapshot
from sidings.queue.topology import assigning
from sidings.queue.topology.assigning import Failure, Part
from sidings.queue.topology.domains import Topology
from sidings.queue.topology.request import TopologyRequest
from sidings.queue.workloads import Admission, PodSet, PodSetAdmission, Workload, held

Within = tuple[str, ...]
"""The values of a domain; empty for the whole topology."""


class _Missing(NamedTuple):
    """Pods to place anew: as ``request`` asks, in the domain ``within``."""

    pods: int
    request: TopologyRequest
    within: Within


def admission(snapshot: Snapshot, workload: Workload) -> Admission | None:
    """That of ``workload``, which is in ``snapshot``, without its unhealthy nodes; None if there is no room."""
    unhealthy = frozenset(workload.unhealthy_nodes)
    found = []
    taken: list[tuple[Topology, Placement, dict[str, int]]] = []
    try:
        for pod_set, entry in zip(workload.pod_sets, held(workload).pod_sets, strict=True):
            flavor = min(set(entry.flavors.values()) & snapshot.topologies.keys(), default="")
            if entry.placement is None or not flavor:
                found.append(entry)
                continue
            topology, kept = snapshot.topologies[flavor], _kept(entry.placement, unhealthy)
            for missing in _missing(topology, pod_set, entry, kept):
                part = Part(replace(pod_set, topology=missing.request), missing.pods, flavor, missing.within)
                placed = assigning.place_workload(snapshot, [part])
                if isinstance(placed, Failure):
                    return None
                fresh, requests = placed[pod_set.name], assigning.pod_requests(pod_set)
                topology.use(fresh, requests)
                taken.append((topology, fresh, requests))
                kept = _joined(topology, kept, fresh)
            found.append(replace(entry, placement=kept))
    finally:
        for topology, fresh, requests in taken:
            topology.use(fresh, requests, sign=-1)
    return replace(held(workload), pod_sets=tuple(found))


def _kept(placement: Placement, unhealthy: Set[str]) -> Placement:
    return Placement(placement.levels, tuple(domain for domain in placement.domains if domain[0][-1] not in unhealthy))


def _missing(topology: Topology, pod_set: PodSet, entry: PodSetAdmission, kept: Placement) -> Iterator[_Missing]:
    """What ``kept`` lacks: first the rest of slices that lost a part, then whole ones."""
    request = pod_set.topology or TopologyRequest()
    lacking = entry.count - sum(count for _, count in kept.domains)
    leaves = [(topology.leaf(values).values, count) for values, count in kept.domains if topology.knows(values)]
    size, alone = request.slice_size or 1, TopologyRequest(unconstrained=True)
    if request.slice_level and size > 1:
        depth = topology.levels.index(request.slice_level) + 1
        slices: Counter[Within] = Counter()
        for values, count in leaves:
            slices[values[:depth]] += count
        for domain, count in sorted(slices.items()):
            rest = min(-count % size, lacking)
            if rest:
                lacking -= rest
                yield _Missing(rest, alone, domain)
    if lacking:
        within: Within = ()
        if request.required and leaves:
            within = leaves[0][0][: topology.levels.index(request.required) + 1]
        yield _Missing(lacking, request, within)


def _joined(topology: Topology, one: Placement, other: Placement) -> Placement:
    pods: Counter[tuple[str, ...]] = Counter()
    for values, count in (*one.domains, *other.domains):
        pods[values] += count

    def place(values: tuple[str, ...]) -> tuple[str, ...]:
        return topology.leaf(values).values if topology.knows(values) else values

    return Placement(other.levels, tuple(sorted(pods.items(), key=lambda item: place(item[0]))))
