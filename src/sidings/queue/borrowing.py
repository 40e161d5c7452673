"""How far up the tree of cohorts a request reaches: its borrowing level.

Level 0 is within the own quota; a cohort of ClusterQueues is level 1, and so on to the root. Less borrowing goes first
in a cycle and is preferred among flavors (``fungibility``).
"""

from __future__ import annotations

from sidings.queue.amounts import FlavorResource
from sidings.queue.snapshot import ClusterQueue, Cohort


def level(queue: ClusterQueue, key: FlavorResource, amount: int) -> tuple[int, bool]:
    """(level, whether the subtree that can hold ``amount`` is only a part of the tree).

    The second says that the hierarchy gives a right: those outside that subtree who use its quota must give it back.
    """
    if queue.parent is None or not queue.borrows(key, amount):
        return 0, queue.parent is not None
    remaining = amount - queue.local_available(key)
    cohort = queue.parent
    for cohort in queue.ancestors():
        if not cohort.borrows(key, remaining):
            return height(cohort), cohort.parent is not None
        remaining -= cohort.local_available(key)
    return height(cohort), False


def height(cohort: Cohort) -> int:
    """1 for a cohort of ClusterQueues only, one more than its highest child cohort otherwise."""
    return max((height(child) + 1 for child in cohort.cohorts), default=min(1, len(cohort.queues)))
