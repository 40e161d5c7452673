"""Placement of a whole workload: its pod sets in order, each seeing what the former ones take.

A group of two pod sets is placed together: the one of a single pod is the leader of the other. ``flavor_assignment``
asks whether a placement exists, ``cycle`` whether it still fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sidings.api import tolerations
from sidings.api.kueue.topology_assignment import Placement
from sidings.api.objects import labels_of, name_of
from sidings.queue import affinity, amounts
from sidings.queue.topology.domains import Domain, Topology
from sidings.queue.topology.placement import Ask, place
from sidings.queue.topology.request import TopologyRequest
from sidings.queue.workloads import PodSet

if TYPE_CHECKING:
    from sidings.queue.snapshot import Flavor, Snapshot


@dataclass(frozen=True)
class Part:
    """A pod set that goes to a flavor with a topology, and how many of its pods.

    ``within`` are the values of the domain in which they must stay; none means anywhere.
    """

    pod_set: PodSet
    count: int
    flavor: str
    within: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    pod_set: str
    message: str


Placements = dict[str, Placement]
"""By name of the pod set."""


def pod_requests(pod_set: PodSet) -> dict[str, int]:
    """Requests of one pod; a pod takes one of a node's ``pods``."""
    return {**pod_set.requests, amounts.PODS: 1}


def place_workload(snapshot: Snapshot, parts: Sequence[Part], *, empty: bool = False) -> Placements | Failure:
    """All placements, or the first failure."""
    result: Placements = {}
    assumed: dict[str, dict[Domain, dict[str, int]]] = {}
    for workers, leader in _groups(parts):
        flavor = snapshot.flavors[workers.flavor]
        topology = snapshot.topologies[workers.flavor]
        taken = assumed.setdefault(workers.flavor, {})
        contradiction = _contradiction(topology, workers)
        placed = contradiction or place(topology, _ask(topology, flavor, workers, leader), taken, empty=empty)
        if isinstance(placed, str):
            return Failure(workers.pod_set.name, placed)
        result[workers.pod_set.name] = placed.workers
        _assume(topology, taken, placed.workers, pod_requests(workers.pod_set))
        if leader is not None and placed.leader is not None:
            result[leader.pod_set.name] = placed.leader
            _assume(topology, taken, placed.leader, pod_requests(leader.pod_set))
    return result


def flavor_refusal(request: TopologyRequest | None, flavor: Flavor, topology: Topology | None) -> str:
    """Why a flavor cannot serve a pod set's topology request; empty if it can."""
    if topology is None:
        return f'Flavor "{flavor.name}" does not support TopologyAwareScheduling' if request else ""
    if request and any(level not in topology.levels for level in request.levels):
        return f'Flavor "{flavor.name}" does not contain the requested level'
    return ""


def _groups(parts: Sequence[Part]) -> Iterator[tuple[Part, Part | None]]:
    """(workers, leader) of each group at the place of its first pod set."""
    done: set[str] = set()
    for part in parts:
        group = part.pod_set.topology.group if part.pod_set.topology else None
        if group is None:
            yield part, None
        elif group not in done:
            done.add(group)
            members = [p for p in parts if p.pod_set.topology and p.pod_set.topology.group == group]
            members.sort(key=lambda member: member.count)
            yield members[-1], members[0] if len(members) > 1 else None


def _contradiction(topology: Topology, part: Part) -> str:
    """Why what a pod set asks can be met nowhere; empty if it can."""
    request = part.pod_set.topology or TopologyRequest()
    named, depth = request.required or request.preferred, topology.levels.index
    if request.slice_level and not request.slice_size:
        return "slice topology requested, but slice size not provided"
    if request.slice_level and named and depth(request.slice_level) < depth(named):
        return f"podset slice topology {request.slice_level} is above the podset topology {named}"
    if part.count % (request.slice_size or 1):
        return f"pod count {part.count} is not divisible by slice size {request.slice_size}"
    above, size = request.slice_level, request.slice_size
    for level, inner in request.inner_slices:
        if above and depth(level) <= depth(above):
            return f"podset slice topology {level} is not below the podset slice topology {above}"
        if size and size % inner:
            return f"podset slice size {size} is not divisible by the slice size {inner} of topology {level}"
        above, size = level, inner
    return ""


def _ask(topology: Topology, flavor: Flavor, part: Part, leader: Part | None) -> Ask:
    request = part.pod_set.topology or TopologyRequest()
    lowest = len(topology.levels) - 1
    named = request.required or request.preferred
    # Slices alone may lie anywhere, so the search for them starts at the top.
    unnamed = 0 if request.slice_level else lowest
    return Ask(
        pods=part.count,
        requests=pod_requests(part.pod_set),
        level=topology.levels.index(named) if named else unnamed,
        slice_level=topology.levels.index(request.slice_level) if request.slice_level else lowest,
        slice_size=request.slice_size or 1,
        required=request.required is not None,
        least_free=named is None,
        excluded=_filter(topology, flavor, part),
        leader=pod_requests(leader.pod_set) if leader else None,
        inner={topology.levels.index(level): size for level, size in request.inner_slices},
    )


def _filter(topology: Topology, flavor: Flavor, part: Part) -> Callable[[Domain], str]:
    of_node = _node_filter(topology, flavor, part.pod_set)
    if not part.within:
        return of_node
    return lambda leaf: of_node(leaf) if leaf.values[: len(part.within)] == part.within else "topologyDomain"


def _node_filter(topology: Topology, flavor: Flavor, pod_set: PodSet) -> Callable[[Domain], str]:
    if not topology.of_nodes:
        return lambda leaf: ""
    spec = pod_set.pod_spec
    tolerated = [*(spec.get("tolerations") or ()), *flavor.tolerations]
    # Most pods ask for no node in particular, and there may be thousands of nodes.
    choosy = bool(spec.get("nodeSelector") or (spec.get("affinity") or {}).get("nodeAffinity"))

    def why(leaf: Domain) -> str:
        node = leaf.node
        assert node is not None
        for taint in node["spec"].get("taints") or ():
            if taint["effect"] in tolerations.BLOCKING_EFFECTS and not tolerations.tolerates(tolerated, taint):
                return f'taint "{taint["key"]}={taint.get("value") or ""}:{taint["effect"]}"'
        if not choosy:
            return ""
        if not affinity.selector_matches(spec, labels_of(node)):
            return "nodeSelector"
        return "" if affinity.affinity_matches(spec, labels_of(node), node=name_of(node)) else "affinity"

    return why


def _assume(
    topology: Topology, taken: dict[Domain, dict[str, int]], placement: Placement, requests: Mapping[str, int]
) -> None:
    for values, count in placement.domains:
        used = taken.setdefault(topology.leaf(values), {})
        for resource, amount in requests.items():
            used[resource] = used.get(resource, 0) + amount * count
