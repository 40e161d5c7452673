"""Where a head that was not admitted waits: to be looked at again, or until something changes.

A StrictFIFO queue puts its head back, so it blocks those behind it. A BestEffortFIFO queue sets it aside
(*inadmissible*) unless another look may help at once.
"""

from __future__ import annotations

from enum import Enum

from sidings.queue.snapshot import STRICT_FIFO


class Requeue(Enum):
    """Why a head comes back."""

    HOPELESS = "no flavor fits, or nobody may be preempted"
    MISCONFIGURED = "its resources or checks are refused"
    NAMESPACE_MISMATCH = "its namespace is not the queue's"
    FAILED_AFTER_NOMINATION = "another workload of the cycle was faster"
    PENDING_PREEMPTION = "its victims are on their way out"


def goes_to_heap(strategy: str, requeue: Requeue, *, flavors_left: bool) -> bool:
    """``flavors_left``: the last search stopped before the last flavor."""
    if requeue is Requeue.NAMESPACE_MISMATCH:
        return False
    if strategy == STRICT_FIFO or flavors_left:
        return True
    return requeue in (Requeue.FAILED_AFTER_NOMINATION, Requeue.PENDING_PREEMPTION)
