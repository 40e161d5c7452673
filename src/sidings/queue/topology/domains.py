"""The domains of one topology for one flavor, and what is free in them.

A leaf is a node where the lowest level is ``kubernetes.io/hostname``, else the nodes that share all level labels. Nodes
that are not ready, unschedulable, not of the flavor or without a level label do not exist here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidings.api import conditions
from sidings.api.kueue.topology_assignment import Placement
from sidings.api.objects import Object, labels_of, name_of
from sidings.queue import amounts

HOSTNAME = "kubernetes.io/hostname"


class Domain:
    """``values`` are those of its level and all above. Only leaves have ``capacity``, ``used`` and ``node``."""

    __slots__ = ("capacity", "children", "level", "node", "used", "values")

    def __init__(self, values: tuple[str, ...]) -> None:
        self.values = values
        self.level = len(values) - 1
        self.children: list[Domain] = []
        self.capacity: dict[str, int] = {}
        self.used: dict[str, int] = {}
        self.node: Object | None = None

    def leaves(self) -> Iterator[Domain]:
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


class Topology:
    """``by_level[i]`` are the domains of ``levels[i]``, highest level first."""

    def __init__(self, name: str, levels: Sequence[str], nodes: Iterable[Object]) -> None:
        self.name = name
        self.levels = tuple(levels)
        self.by_level: list[list[Domain]] = [[] for _ in levels]
        self._domains: dict[tuple[str, ...], Domain] = {}
        self._leaf_of_node: dict[str, Domain] = {}
        self._leaves: dict[tuple[str, ...], Domain] = {}
        for node in nodes:
            values = tuple(labels_of(node)[level] for level in self.levels)
            leaf = self._domain(values)
            for resource, value in ((node.get("status") or {}).get("allocatable") or {}).items():
                leaf.capacity[resource] = leaf.capacity.get(resource, 0) + amounts.whole(resource, value)
            if self.of_nodes:
                leaf.node = node
            self._leaf_of_node[name_of(node)] = leaf
            self._leaves[self.written(values)] = leaf

    @property
    def of_nodes(self) -> bool:
        """Whether its leaves are single nodes, so that taints and selectors of nodes count."""
        return self.levels[-1] == HOSTNAME

    @property
    def written_levels(self) -> tuple[str, ...]:
        """The levels that an assignment names: hostnames are unique, so they suffice."""
        return self.levels[-1:] if self.of_nodes else self.levels

    def written(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return values[-1:] if self.of_nodes else values

    def knows(self, written: tuple[str, ...]) -> bool:
        """Whether there is still a usable leaf that an assignment names."""
        return written in self._leaves

    def leaf(self, written: tuple[str, ...]) -> Domain:
        """The leaf that an assignment names."""
        return self._leaves[written]

    def use(self, placement: Placement, requests: Mapping[str, int], sign: int = 1) -> None:
        """Takes (or with ``sign`` -1 gives back) what the pods of ``placement`` request, ``pods`` included."""
        for values, count in placement.domains:
            leaf = self._leaves.get(values)
            if leaf is None:
                # Its node has gone; what ran there takes nothing from the others.
                continue
            for resource, amount in requests.items():
                leaf.used[resource] = leaf.used.get(resource, 0) + sign * amount * count

    def occupy(self, node: str, requests: Mapping[str, int], sign: int = 1) -> None:
        """Takes (or with ``sign`` -1 gives back) what a pod requests that is on ``node`` without a placement."""
        leaf = self._leaf_of_node.get(node)
        if leaf is not None:
            for resource, amount in requests.items():
                leaf.capacity[resource] = leaf.capacity.get(resource, 0) - sign * amount

    def holds(self, placement: Placement, requests: Mapping[str, int]) -> bool:
        """Whether the pods of ``placement`` fit where they are placed."""
        for values, count in placement.domains:
            leaf = self._leaves.get(values)
            if leaf is None:
                return False
            for resource, amount in requests.items():
                if amount * count > leaf.capacity.get(resource, 0) - leaf.used.get(resource, 0):
                    return False
        return True

    def _domain(self, values: tuple[str, ...]) -> Domain:
        domain = self._domains.get(values)
        if domain is None:
            domain = self._domains[values] = Domain(values)
            self.by_level[domain.level].append(domain)
            if domain.level:
                self._domain(values[:-1]).children.append(domain)
        return domain


def build(name: str, levels: Sequence[str], node_labels: Mapping[str, str], nodes: Iterable[Object]) -> Topology:
    """The topology of one flavor."""
    return Topology(name, levels, [node for node in nodes if _usable(node, levels, node_labels)])


def _usable(node: Object, levels: Sequence[str], node_labels: Mapping[str, str]) -> bool:
    labels = labels_of(node)
    return (
        conditions.is_true(node, "Ready")
        and not (node.get("spec") or {}).get("unschedulable")
        and all(labels.get(key) == value for key, value in node_labels.items())
        and all(level in labels for level in levels)
    )
