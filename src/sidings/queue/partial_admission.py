"""The largest part of a workload that can start, where its ``minCount`` allows one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sidings.queue.workloads import PodSet

Found = TypeVar("Found")


def search(pod_sets: Sequence[PodSet], attempt: Callable[[list[int]], Found | None]) -> Found | None:
    """What ``attempt`` gives for the largest counts for which it gives anything.

    A binary search on the number of pods left out, so it takes for granted that whatever fits also fits smaller.
    """
    counts = [pod_set.count for pod_set in pod_sets]
    index = next((i for i, pod_set in enumerate(pod_sets) if pod_set.min_count is not None), None)
    if index is None:
        return None
    best: Found | None = None
    low, high = 0, counts[index] - (pod_sets[index].min_count or 0) + 1
    while low < high:
        left_out = (low + high) // 2
        found = attempt([*counts[:index], counts[index] - left_out, *counts[index + 1 :]])
        if found is None:
            low = left_out + 1
        else:
            best, high = found, left_out
    return best
