"""Everything a cycle decides upon: flavors, queues in their tree of cohorts, and who holds which quota.

A cycle changes its snapshot while it tries things and undoes what it tried; what it decides stays in it. Nothing here
reads the clock or an API.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sidings.api import conditions, quantity, selectors
from sidings.api.objects import Object, labels_of, name_of, namespace_of
from sidings.queue import activity
from sidings.queue.admission_fair_sharing import USAGE_BASED, BurdenOf, nobody_is_burdened
from sidings.queue.amounts import FlavorResource, Usage
from sidings.queue.quota import Node, Quota, ResourceGroup, read_groups
from sidings.queue.topology import domains
from sidings.queue.topology.assigning import pod_requests
from sidings.queue.topology.domains import Topology
from sidings.queue.workloads import Admission, Workload, held

NEVER = "Never"
STRICT_FIFO = "StrictFIFO"
BEST_EFFORT_FIFO = "BestEffortFIFO"


@dataclass(frozen=True)
class Flavor:
    """A ResourceFlavor."""

    name: str
    node_labels: Mapping[str, str]
    node_taints: Sequence[Object]
    tolerations: Sequence[Object]
    topology_name: str | None

    @staticmethod
    def of_object(obj: Object) -> Flavor:
        spec = obj.get("spec") or {}
        return Flavor(
            name_of(obj),
            spec.get("nodeLabels") or {},
            spec.get("nodeTaints") or (),
            spec.get("tolerations") or (),
            spec.get("topologyName"),
        )


@dataclass(frozen=True)
class Preemption:
    """``spec.preemption`` of a ClusterQueue."""

    within_queue: str = NEVER
    reclaim: str = NEVER
    while_borrowing: str = NEVER
    while_borrowing_threshold: int | None = None

    @staticmethod
    def of_object(spec: Mapping[str, Any]) -> Preemption:
        borrow = spec.get("borrowWithinCohort") or {}
        return Preemption(
            spec.get("withinClusterQueue") or NEVER,
            spec.get("reclaimWithinCohort") or NEVER,
            borrow.get("policy") or NEVER,
            borrow.get("maxPriorityThreshold"),
        )


class ClusterQueue(Node):
    """``inactive`` is (reason, message) of its Active=False condition, None while it is active."""

    def __init__(self, obj: Object) -> None:
        spec = obj["spec"]
        groups, quotas = read_groups(spec.get("resourceGroups") or ())
        super().__init__(name_of(obj), quotas, _weight(spec))
        self.groups: list[ResourceGroup] = groups
        self.cohort_name: str = spec.get("cohortName") or ""
        self.strategy: str = spec.get("queueingStrategy") or BEST_EFFORT_FIFO
        self.preemption = Preemption.of_object(spec.get("preemption") or {})
        self.fungibility: Mapping[str, str] = spec.get("flavorFungibility") or {}
        self.namespace_selector: Mapping[str, Any] | None = spec.get("namespaceSelector")
        self.stop_policy: str = spec.get("stopPolicy") or "None"
        self.usage_based = (spec.get("admissionScope") or {}).get("admissionMode") == USAGE_BASED
        self.burden_of: BurdenOf = nobody_is_burdened
        """Set by who knows what LocalQueues have used, where ``usage_based``."""
        self.checks = _checks(spec)
        self.inactive: tuple[str, str] | None = None
        self.workloads: dict[str, Workload] = {}
        self.freed = 0
        """How often quota came free or changed here; what was tried before that is worth another try."""

    @property
    def flavors(self) -> frozenset[str]:
        """All that its resource groups name."""
        return frozenset(flavor for group in self.groups for flavor in group.flavors)

    def group_of(self, resource: str) -> ResourceGroup | None:
        return next((group for group in self.groups if resource in group.resources), None)

    def checks_of(self, admission: Admission) -> list[str]:
        """The AdmissionChecks that must be ready before what has quota may start."""
        flavors = {flavor for pod_set in admission.pod_sets for flavor in pod_set.flavors.values()}
        return [name for name, only in self.checks.items() if not only or only & flavors]

    def admits_namespace(self, labels: Mapping[str, str] | None) -> bool:
        return selectors.matches(self.namespace_selector, labels)


class Cohort(Node):
    """Its own quota is shared by all below it; one that is only named has none."""

    def __init__(self, name: str, quotas: Mapping[FlavorResource, Quota], weight: float, parent_name: str) -> None:
        super().__init__(name, quotas, weight)
        self.parent_name = parent_name
        self.queues: list[ClusterQueue] = []
        self.cohorts: list[Cohort] = []

    @property
    def root(self) -> Cohort:
        return self.parent.root if self.parent else self

    def all_queues(self) -> Iterator[ClusterQueue]:
        yield from self.queues
        for cohort in self.cohorts:
            yield from cohort.all_queues()


class Snapshot:
    """Built by :func:`build`; workloads with quota come and go by ``add`` and ``remove``."""

    def __init__(
        self,
        flavors: dict[str, Flavor],
        queues: dict[str, ClusterQueue],
        topologies: dict[str, Topology],
        namespaces: Mapping[str, Mapping[str, str]],
        limit_ranges: Mapping[str, Sequence[Object]],
    ) -> None:
        self.flavors = flavors
        self.queues = queues
        self.topologies = topologies
        self.namespaces = namespaces
        """Labels by name."""
        self.limit_ranges = limit_ranges
        """By namespace."""

    def add(self, workload: Workload) -> None:
        """Gives ``workload`` the quota of its admission."""
        admission = held(workload)
        queue = self.queues[admission.cluster_queue]
        queue.workloads[workload.key] = workload
        self.use(queue, admission.usage)
        self.use_topologies(workload, admission)

    def remove(self, workload: Workload) -> None:
        """Takes its quota back."""
        admission = held(workload)
        queue = self.queues[admission.cluster_queue]
        del queue.workloads[workload.key]
        for key, amount in admission.usage.items():
            queue.remove(key, amount)
        self.use_topologies(workload, admission, sign=-1)

    def use(self, queue: ClusterQueue, usage: Mapping[FlavorResource, int]) -> None:
        for key, amount in usage.items():
            queue.add(key, amount)

    def use_topologies(self, workload: Workload, admission: Admission, sign: int = 1) -> None:
        """Takes or gives back the room on nodes of an admission."""
        for pod_set, entry in zip(workload.pod_sets, admission.pod_sets, strict=True):
            if entry.placement is None:
                continue
            for flavor in set(entry.flavors.values()) & self.topologies.keys():
                self.topologies[flavor].use(entry.placement, pod_requests(pod_set), sign)

    def holds_topologies(self, workload: Workload, admission: Admission) -> bool:
        """Whether every placement of ``admission`` fits what is free on its nodes."""
        return all(
            self.topologies[flavor].holds(entry.placement, pod_requests(pod_set))
            for pod_set, entry in zip(workload.pod_sets, admission.pod_sets, strict=True)
            if entry.placement is not None
            for flavor in set(entry.flavors.values()) & self.topologies.keys()
        )

    @contextmanager
    def without(self, workloads: Iterable[Workload]) -> Iterator[None]:
        """The snapshot as if ``workloads`` had gone."""
        gone = list(workloads)
        for workload in gone:
            self.remove(workload)
        try:
            yield
        finally:
            for workload in reversed(gone):
                self.add(workload)

    @contextmanager
    def using(self, queue: ClusterQueue, usage: Usage) -> Iterator[None]:
        """The snapshot as if ``usage`` were added to ``queue``."""
        self.use(queue, usage)
        try:
            yield
        finally:
            for key, amount in usage.items():
                queue.remove(key, amount)


def build(objects: Iterable[Object]) -> Snapshot:
    """The snapshot of v1beta2 objects; kinds that mean nothing to the scheduler are left out."""
    by_kind: dict[str, list[Object]] = {}
    for obj in objects:
        by_kind.setdefault(obj["kind"], []).append(obj)
    flavors = {name_of(obj): Flavor.of_object(obj) for obj in by_kind.get("ResourceFlavor", ())}
    levels = {
        name_of(obj): [level["nodeLabel"] for level in obj["spec"]["levels"]] for obj in by_kind.get("Topology", ())
    }
    topologies = {
        flavor.name: domains.build(
            flavor.topology_name, levels[flavor.topology_name], flavor.node_labels, by_kind.get("Node", ())
        )
        for flavor in flavors.values()
        if flavor.topology_name in levels
    }
    checks = {name_of(obj): conditions.is_true(obj, "Active") for obj in by_kind.get("AdmissionCheck", ())}
    queues = {name_of(obj): ClusterQueue(obj) for obj in by_kind.get("ClusterQueue", ())}
    for queue in queues.values():
        queue.inactive = activity.inactive(queue, flavors, topologies, checks)
    _link(queues, by_kind.get("Cohort", ()))
    namespaces = {name_of(obj): labels_of(obj) for obj in by_kind.get("Namespace", ())}
    limit_ranges: dict[str, list[Object]] = {}
    for obj in by_kind.get("LimitRange", ()):
        limit_ranges.setdefault(namespace_of(obj), []).append(obj)
    return Snapshot(flavors, queues, topologies, namespaces, limit_ranges)


def _link(queues: Mapping[str, ClusterQueue], objects: Iterable[Object]) -> None:
    """Makes the tree, and derives subtree quotas from the leaves up."""
    cohorts: dict[str, Cohort] = {}
    for obj in objects:
        spec = obj.get("spec") or {}
        _, quotas = read_groups(spec.get("resourceGroups") or ())
        cohorts[name_of(obj)] = Cohort(name_of(obj), quotas, _weight(spec), spec.get("parentName") or "")
    for name in [*(queue.cohort_name for queue in queues.values()), *(c.parent_name for c in cohorts.values())]:
        if name and name not in cohorts:
            cohorts[name] = Cohort(name, {}, 1.0, "")
    circular = {name for name in cohorts if _is_circular(name, cohorts)}
    for cohort in cohorts.values():
        if cohort.parent_name and cohort.name not in circular:
            cohort.parent = cohorts[cohort.parent_name]
            cohort.parent.cohorts.append(cohort)
    for queue in queues.values():
        queue.settle()
        if queue.cohort_name in circular:
            queue.inactive = queue.inactive or activity.COHORT_CYCLE
        elif queue.cohort_name:
            queue.parent = cohorts[queue.cohort_name]
            queue.parent.queues.append(queue)
    for cohort in cohorts.values():
        if cohort.parent is None:
            _sum_up(cohort)


def _is_circular(name: str, cohorts: Mapping[str, Cohort]) -> bool:
    """Whether the way up from a cohort never ends."""
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        name = cohorts[name].parent_name
    return bool(name)


def _sum_up(cohort: Cohort) -> None:
    for child in cohort.cohorts:
        _sum_up(child)
    for node in [*cohort.cohorts, *cohort.queues]:
        for key, quota in node.subtree_quota.items():
            lent = quota - node.local_quota.get(key, 0)
            cohort.subtree_quota[key] = cohort.subtree_quota.get(key, 0) + lent
    cohort.settle()


def _checks(spec: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """AdmissionChecks by name, with the flavors they are for; none means all."""
    strategy = (spec.get("admissionChecksStrategy") or {}).get("admissionChecks") or ()
    return {entry["name"]: frozenset(entry.get("onFlavors") or ()) for entry in strategy}


def _weight(spec: Mapping[str, Any]) -> float:
    weight = (spec.get("fairSharing") or {}).get("weight")
    return 1.0 if weight is None else float(quantity.parse(weight))
