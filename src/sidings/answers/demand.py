"""What a workload asks of its queue, resource by resource, against what there is: the arithmetic of a wait.

A ``Demand`` is for one resource, all pod sets together, in the flavor that comes closest. ``maximum`` is what the queue
could have if nobody used anything, ``free`` what it can have now.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sidings.queue import amounts
from sidings.queue.flavor_assignment import pod_refusal
from sidings.queue.snapshot import ClusterQueue, Snapshot
from sidings.queue.workloads import PodSet, Workload

_NOUNS = {"cpu": "CPUs", "memory": "memory", amounts.PODS: "pods"}


@dataclass(frozen=True)
class Part:
    """One pod set: ``each`` is what one of its ``count`` pods requests, in the unit of ``amounts``."""

    name: str
    count: int
    each: int


@dataclass(frozen=True)
class Demand:
    """``total`` of ``resource`` is asked for in ``flavor``."""

    resource: str
    flavor: str
    parts: Sequence[Part]
    total: int
    maximum: int
    free: int

    @property
    def pods(self) -> int:
        return sum(part.count for part in self.parts)

    def sum(self) -> str:
        """``3 pods x 2 GPUs = 6``; pod sets that differ are summed one by one."""
        if self.resource == amounts.PODS:
            return f"{self.total} pods"
        text = amounts.text(self.resource, self.total)
        if len({part.each for part in self.parts}) == 1:
            each = amounts.text(self.resource, self.parts[0].each)
            return f"{self.pods} {'pod' if self.pods == 1 else 'pods'} x {said(self.resource, each)} = {text}"
        told = " + ".join(f"{p.name} {p.count} x {amounts.text(self.resource, p.each)}" for p in self.parts)
        return f"{told} {noun_of(self.resource)} = {text}"

    def against_maximum(self) -> str:
        """``3 pods x 2 GPUs = 6 > 4``."""
        return f"{self.sum()} > {amounts.text(self.resource, self.maximum)}"


def totals_of(pod_sets: Iterable[PodSet]) -> dict[str, int]:
    """What all pods of all sets request together, by resource."""
    totals: dict[str, int] = {}
    for pod_set in pod_sets:
        for name, amount in pod_set.requests.items():
            totals[name] = totals.get(name, 0) + amount * pod_set.count
    return totals


def noun_of(resource: str) -> str:
    """``GPUs`` for any vendor's, else the resource as people say it."""
    return "GPUs" if resource.endswith("/gpu") else _NOUNS.get(resource, resource)


def said(resource: str, amount: str) -> str:
    """``1 GPU``, ``2 GPUs``, ``128Mi memory``."""
    noun = noun_of(resource)
    return f"{amount} {noun.removesuffix('s') if amount == '1' and noun != resource else noun}"


def shares(pod_sets: Sequence[PodSet]) -> str:
    """``master 1, worker 2; Master included``: how many pods each pod set has."""
    told = ", ".join(f"{pod_set.name} {pod_set.count}" for pod_set in pod_sets)
    included = any(pod_set.name == "master" for pod_set in pod_sets) and len(pod_sets) > 1
    return f"{told}; Master included" if included else told


def of_workload(snapshot: Snapshot, workload: Workload, queue: ClusterQueue) -> list[Demand]:
    """Every resource that the queue covers, in the order of names."""
    parts = _parts(workload, counts_pods=queue.group_of(amounts.PODS) is not None)
    found = []
    for group in queue.groups:
        wanted = {name: sum(p.count * p.each for p in parts[name]) for name in group.resources if name in parts}
        flavors = [name for name in group.flavors if _suits(snapshot, workload, name)]
        if not wanted or not flavors:
            continue
        flavor = min(flavors, key=lambda name: _shortage(queue, name, wanted))
        for resource, total in wanted.items():
            key = (flavor, resource)
            free = max(0, queue.available(key))
            found.append(Demand(resource, flavor, parts[resource], total, queue.potential(key), free))
    return sorted(found, key=lambda demand: (not demand.resource.endswith("/gpu"), demand.resource))


def not_covered(workload: Workload, queue: ClusterQueue) -> list[str]:
    """Resources that are requested and that no resource group of the queue names."""
    return sorted(name for name in _parts(workload, counts_pods=False) if queue.group_of(name) is None)


def _parts(workload: Workload, *, counts_pods: bool) -> dict[str, list[Part]]:
    """By resource; pod sets that ask for none of it are left out."""
    found: dict[str, list[Part]] = {}
    for pod_set in workload.pod_sets:
        each: Mapping[str, int] = {**pod_set.requests, **({amounts.PODS: 1} if counts_pods else {})}
        for name, amount in each.items():
            if amount and pod_set.count:
                found.setdefault(name, []).append(Part(pod_set.name, pod_set.count, amount))
    return found


def _suits(snapshot: Snapshot, workload: Workload, name: str) -> bool:
    flavor = snapshot.flavors.get(name)
    return flavor is not None and not any(pod_refusal(pod_set, flavor) for pod_set in workload.pod_sets)


def _shortage(queue: ClusterQueue, flavor: str, wanted: Mapping[str, int]) -> tuple[float, float]:
    """How far a flavor is from enough: ever, and now; shares of what is asked."""
    keys = [((flavor, resource), total) for resource, total in wanted.items() if total]
    ever = sum(max(0, total - queue.potential(key)) / total for key, total in keys)
    now = sum(max(0, total - max(0, queue.available(key))) / total for key, total in keys)
    return ever, now
