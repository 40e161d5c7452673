"""The dominant resource share of a queue or a cohort: how much more than its own it uses, of what could be lent.

Shares are in thousandths, divided by the node's weight. A node of weight 0 that borrows has an infinite share; two such
are compared without weights.
"""

from __future__ import annotations

import math
from functools import total_ordering

from sidings.queue.quota import Node


@total_ordering
class Share:
    """``ratio`` is the share before the weight."""

    __slots__ = ("ratio", "weight")

    def __init__(self, ratio: float, weight: float) -> None:
        self.ratio = ratio
        self.weight = weight

    @property
    def value(self) -> float:
        if not self.ratio:
            return 0.0
        return self.ratio / self.weight if self.weight else math.inf

    def _key(self) -> tuple[float, float]:
        value = self.value
        return value, self.ratio if math.isinf(value) else 0.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Share) and self._key() == other._key()

    def __lt__(self, other: Share) -> bool:
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash(self._key())


def share(node: Node) -> Share:
    """The share of ``node`` as the snapshot is now; a root has none."""
    if node.parent is None:
        return Share(0.0, node.weight)
    borrowed: dict[str, int] = {}
    for key, used in node.usage.items():
        beyond = used - node.subtree_quota.get(key, 0)
        if beyond > 0:
            borrowed[key[1]] = borrowed.get(key[1], 0) + beyond
    if not borrowed:
        return Share(0.0, node.weight)
    lendable: dict[str, int] = {}
    for key in node.parent.root.subtree_quota:
        if key[1] in borrowed:
            lendable[key[1]] = lendable.get(key[1], 0) + node.parent.potential(key)
    ratios = [1000 * amount / lendable[name] for name, amount in borrowed.items() if lendable.get(name, 0) > 0]
    return Share(max(ratios, default=0.0), node.weight)
