"""``status`` of ClusterQueues and LocalQueues: who waits, who holds what, whether anything can be admitted. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.objects import Object, is_deleting
from sidings.controllers.kueue.tallies import Tally
from sidings.queue import amounts, fair_sharing
from sidings.queue.snapshot import ClusterQueue

ACTIVE = "Active"
READY = "Ready"
CAN_ADMIT = "Can admit new workloads"
TERMINATING = "Terminating"
TERMINATING_MESSAGE = "Can't admit new workloads; clusterQueue is terminating"
CAN_SUBMIT = "Can submit new workloads to localQueue"
CANNOT_SUBMIT = "Can't submit new workloads to clusterQueue"
LOCAL_STOPPED = "LocalQueue is stopped"
NO_CLUSTER_QUEUE = "ClusterQueueDoesNotExist"
INACTIVE_CLUSTER_QUEUE = "ClusterQueueIsInactive"
LARGEST = 2**63 - 1
"""An infinite share, as an int64."""


def cluster_queue(obj: Object, queue: ClusterQueue, tally: Tally, now: datetime, *, fair: bool) -> Object:
    """The status of a ClusterQueue; ``fair``: with its share of what the cohort lends."""
    status: Object = {
        "conditions": _active(obj, *_cluster_queue_state(obj, queue), now),
        "flavorsReservation": _cluster_usage(queue, tally.reserved),
        "flavorsUsage": _cluster_usage(queue, tally.used),
        "pendingWorkloads": tally.pending,
        "reservingWorkloads": tally.reserving,
        "admittedWorkloads": tally.admitted,
    }
    if fair:
        value = fair_sharing.share(queue).value
        status["fairSharing"] = {"weightedShare": LARGEST if math.isinf(value) else math.ceil(value)}
    return status


def local_queue(obj: Object, queue: ClusterQueue | None, tally: Tally, now: datetime) -> Object:
    """The status of a LocalQueue; ``queue`` is its ClusterQueue, if there is one."""
    status: Object = {
        "conditions": _active(obj, *_local_queue_state(obj, queue), now),
        "pendingWorkloads": tally.pending,
        "reservingWorkloads": tally.reserving,
        "admittedWorkloads": tally.admitted,
    }
    if queue is not None:
        status["flavorsReservation"] = _local_usage(queue, tally.reserved)
        status["flavorsUsage"] = _local_usage(queue, tally.used)
    if known := (obj.get("status") or {}).get("fairSharing"):
        status["fairSharing"] = known
    return status


def _cluster_queue_state(obj: Object, queue: ClusterQueue) -> tuple[str, str, str]:
    if is_deleting(obj):
        return "False", TERMINATING, TERMINATING_MESSAGE
    if queue.inactive is not None:
        return "False", *queue.inactive
    return "True", READY, CAN_ADMIT


def _local_queue_state(obj: Object, queue: ClusterQueue | None) -> tuple[str, str, str]:
    if (obj["spec"].get("stopPolicy") or "None") != "None":
        return "False", "Stopped", LOCAL_STOPPED
    if queue is None:
        return "False", NO_CLUSTER_QUEUE, CANNOT_SUBMIT
    if queue.inactive is not None:
        return "False", INACTIVE_CLUSTER_QUEUE, CANNOT_SUBMIT
    return "True", READY, CAN_SUBMIT


def _active(obj: Object, status: str, reason: str, message: str, now: datetime) -> list[Object]:
    old = conditions.find((obj.get("status") or {}).get("conditions"), ACTIVE)
    since = old["lastTransitionTime"] if old and old["status"] == status else timestamps.to_text(now)
    return [
        {
            "type": ACTIVE,
            "status": status,
            "reason": reason,
            "message": message,
            "lastTransitionTime": since,
            "observedGeneration": obj["metadata"].get("generation", 0),
        }
    ]


def _flavors(queue: ClusterQueue) -> Iterable[tuple[str, tuple[str, ...]]]:
    for group in queue.groups:
        for flavor in group.flavors:
            yield flavor, group.resources


def _cluster_usage(queue: ClusterQueue, usage: Mapping[tuple[str, str], int]) -> list[Object]:
    return [
        {
            "name": flavor,
            "resources": [
                {
                    "name": name,
                    "total": amounts.text(name, total := usage.get((flavor, name), 0)),
                    "borrowed": amounts.text(name, _borrowed(queue, (flavor, name), total)),
                }
                for name in resources
            ],
        }
        for flavor, resources in _flavors(queue)
    ]


def _borrowed(queue: ClusterQueue, key: tuple[str, str], total: int) -> int:
    nominal = queue.quotas[key].nominal if key in queue.quotas else 0
    return max(0, total - nominal) if queue.parent is not None else 0


def _local_usage(queue: ClusterQueue, usage: Mapping[tuple[str, str], int]) -> list[Object]:
    return [
        {
            "name": flavor,
            "resources": [
                {"name": name, "total": amounts.text(name, usage.get((flavor, name), 0))} for name in resources
            ],
        }
        for flavor, resources in _flavors(queue)
    ]
