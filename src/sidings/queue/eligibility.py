"""Which workloads wait in a queue at all (the rest is nobody the scheduler knows)."""

from __future__ import annotations

from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.kueue import keys
from sidings.api.objects import Object, annotations_of


def may_wait(obj: Object, now: datetime) -> bool:
    """Whether a Workload without quota belongs in the queue of its LocalQueue.

    Not while it is deactivated, finished, gated, or put off by a back-off.
    """
    spec, status = obj["spec"], obj.get("status") or {}
    if spec.get("active") is False or conditions.is_true(obj, "Finished") or gates(obj):
        return False
    requeued = conditions.find(status.get("conditions"), "Requeued")
    if requeued is not None and requeued["status"] == "False":
        return False
    later = (status.get("requeueState") or {}).get("requeueAt")
    return not later or timestamps.from_text(later) <= now


def gates(obj: Object) -> str:
    """Who has to take a gate away before a job or a Workload queues; empty if nobody."""
    return annotations_of(obj).get(keys.ADMISSION_GATED_BY, "")


def holds(local_queue: Object) -> bool:
    """Whether a LocalQueue keeps its workloads from their ClusterQueue."""
    return (local_queue["spec"].get("stopPolicy") or "None") != "None"
