"""What the scheduler knows: nodes, and what the pods bound to them ask for.

Resources are counted in exact decimals, so that a tenth of a CPU ten times is one CPU. A terminal pod holds nothing;
one that is being deleted holds its share until it is gone, as on a cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sidings.api import pod_resources, quantity, service_ports
from sidings.api.objects import Object, labels_of, name_of, namespace_of
from sidings.api.pod_phase import has_ended
from sidings.controllers.scheduler.claims import Claims

PODS = "pods"


@dataclass
class NodeState:
    """One node: its allocatable resources and what is already promised, both resource name -> amount."""

    node: Object
    allocatable: dict[str, Decimal]
    requested: dict[str, Decimal] = field(default_factory=dict)
    ports: set[tuple[str, int]] = field(default_factory=set)
    """(protocol, number) of host ports that are taken."""

    @property
    def name(self) -> str:
        return name_of(self.node)

    def free(self, resource: str) -> Decimal:
        """What is left of ``resource``; zero for one that the node does not have. May be negative after a shrink."""
        return self.allocatable.get(resource, Decimal(0)) - self.requested.get(resource, Decimal(0))

    def add(self, requests: Mapping[str, Decimal]) -> None:
        for resource, amount in requests.items():
            self.requested[resource] = self.requested.get(resource, Decimal(0)) + amount


@dataclass
class Snapshot:
    """All nodes by name; ``assume`` books a decision so that the next pod sees it."""

    nodes: dict[str, NodeState]
    namespaces: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Their labels, by name."""
    claims: Claims = field(default_factory=dict)
    placed: list[tuple[Object, str]] = field(default_factory=list)
    """Unfinished pods and the nodes that they are bound to."""
    guarded: list[tuple[Object, str]] = field(default_factory=list)
    """Those of ``placed`` that require others to stay away."""

    def assume(self, pod: Object, node: str) -> None:
        self.nodes[node].add(requests_of(pod))
        self.nodes[node].ports |= host_ports_of(pod)
        self.placed.append((pod, node))
        if anti_affinity_terms(pod):
            self.guarded.append((pod, node))


def required_terms(pod: Object, kind: str) -> list[Object]:
    """The required terms of ``podAffinity`` or ``podAntiAffinity``."""
    affinity = (pod["spec"].get("affinity") or {}).get(kind) or {}
    return affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or []


def anti_affinity_terms(pod: Object) -> list[Object]:
    return required_terms(pod, "podAntiAffinity")


def host_ports_of(pod: Object) -> set[tuple[str, int]]:
    """(protocol, number)"""
    return {(protocol, number) for protocol, number, _ in service_ports.host_ports(pod)}


def requests_of(pod: Object) -> dict[str, Decimal]:
    """What a pod takes from a node, its place among the node's ``pods`` included."""
    return {**pod_resources.of_pod(pod), PODS: Decimal(1)}


def take(
    nodes: Iterable[Object],
    pods: Iterable[Object],
    namespaces: Iterable[Object] = (),
    claims: Iterable[Object] = (),
) -> Snapshot:
    """A snapshot of ``nodes`` with everything that bound, unfinished ``pods`` hold."""
    states = {}
    for node in nodes:
        allocatable = (node.get("status") or {}).get("allocatable") or {}
        states[name_of(node)] = NodeState(node, {name: quantity.parse(amount) for name, amount in allocatable.items()})
    snapshot = Snapshot(
        states,
        {name_of(namespace): labels_of(namespace) for namespace in namespaces},
        {(namespace_of(claim), name_of(claim)): claim for claim in claims},
    )
    for pod in pods:
        host = str(pod["spec"].get("nodeName") or "")
        if host in states and not has_ended(pod):
            snapshot.assume(pod, host)
    return snapshot
