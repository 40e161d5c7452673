"""The tree of quotas: what a ClusterQueue may take of its own, of its cohort, and of the cohorts above.

Every node keeps back ``local_quota`` (what lendingLimit withholds) and offers the rest to its parent; usage beyond the
local quota is the parent's usage as well. Capacity is counted per flavor-resource. ``reclaim`` and ``fair_sharing``
read the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from sidings.queue import amounts
from sidings.queue.amounts import FlavorResource, Usage

if TYPE_CHECKING:
    from sidings.queue.snapshot import Cohort


class Quota(NamedTuple):
    nominal: int
    borrowing_limit: int | None = None
    lending_limit: int | None = None


@dataclass(frozen=True)
class ResourceGroup:
    """Resources that get their flavor together, and the flavors in the order they are tried."""

    resources: tuple[str, ...]
    flavors: tuple[str, ...]


class Node:
    """A ClusterQueue or a Cohort in the tree."""

    def __init__(self, name: str, quotas: Mapping[FlavorResource, Quota], weight: float) -> None:
        self.name = name
        self.parent: Cohort | None = None
        self.quotas = dict(quotas)
        self.weight = weight
        self.usage: Usage = {}
        self.subtree_quota: Usage = {key: quota.nominal for key, quota in quotas.items()}
        self.local_quota: Usage = {}
        self._potential: Usage = {}

    def settle(self) -> None:
        """Derives the local quotas, once the subtree quota is known."""
        self.local_quota = {
            key: max(0, self.subtree_quota.get(key, 0) - quota.lending_limit)
            for key, quota in self.quotas.items()
            if quota.lending_limit is not None
        }

    def path(self) -> str:
        """``/root/team/queue``, as preemption messages name it."""
        names = [self.name, *(cohort.name for cohort in self.ancestors())]
        return "/" + "/".join(reversed(names))

    def ancestors(self) -> Iterator[Cohort]:
        """Its cohorts, from the nearest to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def root(self) -> Node:
        """The top of its tree: itself without a parent."""
        node = self
        while node.parent is not None:
            node = node.parent
        return node

    def used(self, key: FlavorResource) -> int:
        return self.usage.get(key, 0)

    def local_available(self, key: FlavorResource) -> int:
        """What is left of the part that is not lent."""
        return max(0, self.local_quota.get(key, 0) - self.used(key))

    def available(self, key: FlavorResource) -> int:
        """What can be used now, borrowing included. Negative where a tree is used beyond its quota."""
        subtree, used = self.subtree_quota.get(key, 0), self.used(key)
        if self.parent is None:
            return subtree - used
        local = self.local_quota.get(key, 0)
        from_parent = self.parent.available(key)
        limit = self.quotas[key].borrowing_limit if key in self.quotas else None
        if limit is not None:
            from_parent = min(from_parent, subtree - local - max(0, used - local) + limit)
        return max(0, local - used) + from_parent

    def potential(self, key: FlavorResource) -> int:
        """What could be used if nobody used anything: "maximum capacity" in messages."""
        known = self._potential.get(key)
        if known is None:
            known = self._potential[key] = self._compute_potential(key)
        return known

    def _compute_potential(self, key: FlavorResource) -> int:
        subtree = self.subtree_quota.get(key, 0)
        if self.parent is None:
            return subtree
        maximum = self.local_quota.get(key, 0) + self.parent.potential(key)
        limit = self.quotas[key].borrowing_limit if key in self.quotas else None
        return maximum if limit is None else min(maximum, subtree + limit)

    def borrows(self, key: FlavorResource, more: int = 0) -> bool:
        """Whether usage, with ``more`` added, is above the quota of the subtree."""
        return self.used(key) + more > self.subtree_quota.get(key, 0)

    def within_nominal(self, keys: Iterable[FlavorResource]) -> bool:
        return not any(self.borrows(key) for key in keys)

    def add(self, key: FlavorResource, amount: int) -> None:
        """Uses ``amount`` more; what the local quota does not cover is used of the parent too."""
        beyond = amount - self.local_available(key)
        self.usage[key] = self.used(key) + amount
        if self.parent is not None and beyond > 0:
            self.parent.add(key, beyond)

    def remove(self, key: FlavorResource, amount: int) -> None:
        """Takes back what :meth:`add` did."""
        beyond = self.used(key) - self.local_quota.get(key, 0)
        self.usage[key] = self.used(key) - amount
        if self.parent is not None and beyond > 0:
            self.parent.remove(key, min(amount, beyond))


def read_groups(groups: Iterable[Mapping[str, Any]]) -> tuple[list[ResourceGroup], dict[FlavorResource, Quota]]:
    """``spec.resourceGroups`` of a ClusterQueue or a Cohort."""
    result, quotas = [], {}
    for group in groups:
        flavors = group["flavors"]
        result.append(ResourceGroup(tuple(group["coveredResources"]), tuple(entry["name"] for entry in flavors)))
        for flavor in flavors:
            for resource in flavor["resources"]:
                quotas[flavor["name"], resource["name"]] = _quota(resource)
    return result, quotas


def _quota(resource: Mapping[str, Any]) -> Quota:
    name = resource["name"]
    limits = [
        amounts.whole(name, resource[limit]) if resource.get(limit) is not None else None
        for limit in ("borrowingLimit", "lendingLimit")
    ]
    return Quota(amounts.whole(name, resource["nominalQuota"]), *limits)
