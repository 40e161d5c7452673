"""Everything the scheduler decides upon, kept up to date from watch events.

Queues, flavors and the like change seldom: then all is built anew. Workloads change all the time: each change moves one
of them between who holds quota (the snapshot), who waits (a ``PendingQueue`` per ClusterQueue) and who does neither.
Between a decision and the answer to the write that makes it true the decision counts (:meth:`assume`), whatever else
happens meanwhile, so that no quota is given twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from sidings.api import conditions, pod_resources, quantity
from sidings.api.kueue import keys
from sidings.api.objects import Key, Object, annotations_of, is_deleting, key_of, labels_of
from sidings.api.pod_phase import has_ended
from sidings.api.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    COHORTS,
    LIMIT_RANGES,
    LOCAL_QUEUES,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCE_FLAVORS,
    TOPOLOGIES,
    WORKLOADS,
    Resource,
)
from sidings.controllers.kueue import workload_status
from sidings.queue import eligibility, snapshot, workloads
from sidings.queue.admission_fair_sharing import BurdenOf, nobody_is_burdened
from sidings.queue.cycle import Head
from sidings.queue.pending import PendingQueue
from sidings.queue.requeueing import Requeue
from sidings.queue.snapshot import Snapshot
from sidings.queue.waiting import Waiting
from sidings.queue.workloads import Workload

SURROUNDINGS: tuple[Resource, ...] = (
    RESOURCE_FLAVORS,
    CLUSTER_QUEUES,
    LOCAL_QUEUES,
    COHORTS,
    TOPOLOGIES,
    ADMISSION_CHECKS,
    NODES,
    NAMESPACES,
    LIMIT_RANGES,
)
"""All kinds but Workloads."""


class Cache:
    """Changes come in by ``see``; what is decided upon goes out by ``snapshot`` and ``heads``."""

    def __init__(self) -> None:
        self._objects: dict[tuple[str, Key], Object] = {}
        self._workloads: dict[Key, Object] = {}
        self._holders: dict[Key, Workload] = {}
        self._assumed: dict[Key, Workload] = {}
        """Holders whose admission is being written: until ``confirm`` or ``forget`` nothing else counts for them."""
        self._waiting: dict[Key, str] = {}
        """ClusterQueue by Workload."""
        self._pods: dict[Key, _Place] = {}
        """Pods on nodes that no placement of the queue accounts for."""
        self._snapshot = snapshot.build(())
        self._pending: dict[str, PendingQueue] = {}
        self.burden_of: BurdenOf = nobody_is_burdened
        """What LocalQueues have used of late, for the ClusterQueues that ask for it."""
        self._stale = False
        self._flushed: set[Any] = set()
        self.edition = 0
        """Goes up whenever all is built anew; heads of an earlier edition are in their queues again."""
        self.changes = 0
        """Goes up with everything that could change a decision."""

    # What happens.

    def see(self, resource: Resource, obj: Object, *, gone: bool, now: datetime) -> None:
        """A change of anything but a Workload."""
        place = (resource.kind, key_of(obj))
        old = self._objects.get(place)
        if gone:
            self._stale = self._objects.pop(place, None) is not None or self._stale
            return
        self._objects[place] = {"apiVersion": resource.api_version, "kind": resource.kind, **obj}
        self._stale = self._stale or old is None or _decisive(resource, old) != _decisive(resource, obj)

    def see_pod(self, pod: Object, *, gone: bool) -> None:
        """A change of a pod: what runs on a node beside the queue's placements is not free for them."""
        key = key_of(pod)
        place = None if gone else _place_of(pod)
        if self._pods.get(key) == place:
            return
        if place is None:
            del self._pods[key]
        else:
            self._pods[key] = place
        self._stale = self._stale or bool(self._snapshot.topologies)

    def see_workload(self, obj: Object, *, gone: bool, now: datetime) -> None:
        """A change of a Workload."""
        key = key_of(obj)
        before = self._workloads.get(key)
        if not gone and before is not None and resource_version(obj) < resource_version(before):
            return  # what was written is known by its answer already
        if gone:
            self._workloads.pop(key, None)
        else:
            self._workloads[key] = obj
        self._settle(key, before, None if gone else obj, now)

    def refresh(self, now: datetime) -> None:
        """Build anew if anything around the Workloads changed."""
        if not self._stale:
            return
        self._stale = False
        self.edition += 1
        self.changes += 1
        freed = {name: queue.freed for name, queue in self._snapshot.queues.items()}
        self._snapshot = snapshot.build(self._around())
        for name, queue in self._snapshot.queues.items():
            queue.freed = freed.get(name, 0) + 1
        for queue in self._snapshot.queues.values():
            queue.burden_of = self.burden_of if queue.usage_based else nobody_is_burdened
        before = self._pending
        self._pending = {
            q.name: PendingQueue(q.name, q.strategy, q.burden_of if q.usage_based else None)
            for q in self._snapshot.queues.values()
        }
        self._holders.clear()
        self._waiting.clear()
        for key, workload in self._assumed.items():
            self._take(key, workload)
        for key, obj in self._workloads.items():
            self._settle(key, None, obj, now)
        for name, queue_before in before.items():
            if name in self._pending:
                self._pending[name].take_over(queue_before)
        # Those set aside are looked at a second later, as upstream does: a change often comes in several parts.
        self._flushed = {queue.root for queue in self._snapshot.queues.values()}

    def _around(self) -> Iterator[Object]:
        """All objects; nodes with what is left of them."""
        used: dict[str, dict[str, Decimal]] = {}
        for node, requests in self._pods.values():
            pod_resources.add(used.setdefault(node, {}), requests)
        for (kind, key), obj in self._objects.items():
            yield _reduced(obj, used[key.name]) if kind == NODES.kind and key.name in used else obj

    def flush(self) -> None:
        """Quota came free: those set aside in the trees that are concerned are worth a look again."""
        self.changes += 1
        for name, queue in self._snapshot.queues.items():
            if queue.root in self._flushed:
                self._pending[name].flush(self._may_use(name))
        self._flushed.clear()

    @property
    def is_stale(self) -> bool:
        """Whether ``refresh`` would build anew."""
        return self._stale

    @property
    def flush_is_due(self) -> bool:
        return bool(self._flushed)

    # What is decided upon.

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    def local_queue(self, key: Key) -> Object | None:
        return self._objects.get((LOCAL_QUEUES.kind, key))

    def workload(self, key: Key) -> Object | None:
        return self._workloads.get(key)

    def heads(self) -> list[Head]:
        """The first of each active ClusterQueue; each must be given back, or be assumed admitted."""
        return [
            Head(waiting, name)
            for name, queue in self._pending.items()
            if self._snapshot.queues[name].inactive is None and (waiting := queue.pop()) is not None
        ]

    @property
    def has_heads(self) -> bool:
        return any(
            queue.active and self._snapshot.queues[name].inactive is None for name, queue in self._pending.items()
        )

    @property
    def all_pods_ready(self) -> bool:
        """Whether the pods of everybody who holds quota are."""
        return all(conditions.is_true(self._workloads.get(key) or {}, "PodsReady") for key in self._holders)

    def assume(self, workload: Workload) -> None:
        """Count the admission of ``workload`` although nobody was told yet."""
        self.changes += 1
        key = Key(workload.namespace, workload.name)
        queue = self._waiting.pop(key, "")
        if queue in self._pending:
            self._pending[queue].discard(workload.key)
        self._assumed[key] = workload
        self._take(key, workload)

    def confirm(self, obj: Object, now: datetime) -> None:
        """The admission that was assumed is written; ``obj`` is what was stored.

        The watch may have told it before, or what came after it, even that the Workload is gone: none of that counted
        while the admission was assumed, and all of it does now.
        """
        key = key_of(obj)
        self._assumed.pop(key, None)
        known = self._workloads.get(key)
        if known is not None and resource_version(known) < resource_version(obj):
            known = self._workloads[key] = obj
        self._settle(key, None, known, now)

    def look_again(self) -> None:
        """Decide anew although nothing is known to have changed: a decision could not be written."""
        self.changes += 1

    def forget(self, key: Key, now: datetime) -> None:
        """The admission that was assumed could not be written."""
        self._assumed.pop(key, None)
        if key in self._holders:
            self._drop_holder(key)
        obj = self._workloads.get(key)
        if obj is not None:
            self._settle(key, None, obj, now)

    def give_back(self, head: Head, waiting: Waiting, why: Requeue) -> None:
        """A head that was not admitted; one that has left its queue meanwhile stays away."""
        workload = waiting.workload
        if self._waiting.get(Key(workload.namespace, workload.name)) == head.cluster_queue:
            queue = self._pending[head.cluster_queue]
            queue.requeue(waiting, why)
            if not queue.is_active(workload.key):
                self.changes += 1  # the next one is the head now

    def waiting(self, cluster_queue: str) -> list[Workload]:
        """Who waits for a ClusterQueue, first come first."""
        queue = self._pending.get(cluster_queue)
        return sorted(queue or (), key=lambda w: (-w.priority, w.queued_at, w.uid))

    def sizes(self, cluster_queue: str) -> tuple[int, int]:
        """How many of a ClusterQueue's are to be looked at, and how many are set aside until something changes."""
        queue = self._pending.get(cluster_queue)
        return (queue.active, queue.set_aside) if queue is not None else (0, 0)

    def holders(self) -> Iterator[tuple[Key, Workload]]:
        yield from self._holders.items()

    def of_kind(self, resource: Resource) -> Iterator[Object]:
        return (obj for (kind, _), obj in self._objects.items() if kind == resource.kind)

    def known(self, resource: Resource) -> set[Key]:
        """Of which objects of a kind it has heard."""
        if resource == WORKLOADS:
            return set(self._workloads)
        if resource == PODS:
            return set(self._pods)
        return {key for kind, key in self._objects if kind == resource.kind}

    def pending(self) -> Iterator[tuple[Key, str]]:
        """(LocalQueue, ClusterQueue or empty) of each Workload that waits at a LocalQueue that is not stopped."""
        for key, obj in self._workloads.items():
            if key in self._holders or workload_status.is_finished(obj) or not workload_status.is_active(obj):
                continue
            queue = Key(key.namespace, obj["spec"].get("queueName") or "")
            local = self._objects.get((LOCAL_QUEUES.kind, queue))
            if local is not None and not eligibility.holds(local):
                yield queue, self._waiting.get(key, "")

    # One Workload.

    def _settle(self, key: Key, before: Object | None, obj: Object | None, now: datetime) -> None:
        if key in self._assumed:
            return
        holds = obj is not None and workload_status.has_quota(obj) and not workload_status.is_finished(obj)
        if holds and obj is not None and (obj.get("status") or {}).get("admission"):
            self._leave_queue(key)
            self._hold(key, before, obj)
            return
        if key in self._holders:
            self._drop_holder(key)
        queue = self._queue_of(obj, now) if obj is not None else ""
        if not queue or obj is None:
            self._leave_queue(key)
        elif self._waiting.get(key) == queue and before is not None and _ask(before) == _ask(obj):
            self._pending[queue].refresh(workloads.of_object(obj))
        else:
            self._leave_queue(key)
            self.changes += 1
            self._waiting[key] = queue
            self._pending[queue].push(workloads.of_object(obj))

    def _hold(self, key: Key, before: Object | None, obj: Object) -> None:
        old = self._holders.get(key)
        workload = workloads.of_object(obj)
        if old is not None:
            if before is not None and _held(before) == _held(obj):
                return
            self.changes += 1
            self._snapshot.remove(old)
            if old.admission != workload.admission:
                self._freed(old)
        self._take(key, workload)

    def _take(self, key: Key, workload: Workload) -> None:
        """Give ``workload`` the quota of its admission, if the queue still exists."""
        if workloads.held(workload).cluster_queue in self._snapshot.queues:
            self._holders[key] = workload
            self._snapshot.add(workload)
        else:
            self._holders.pop(key, None)

    def _drop_holder(self, key: Key) -> None:
        old = self._holders.pop(key)
        self.changes += 1
        self._snapshot.remove(old)
        self._freed(old)

    def _freed(self, workload: Workload) -> None:
        queue = self._snapshot.queues[workloads.held(workload).cluster_queue]
        queue.freed += 1
        self._flushed.add(queue.root)

    def _leave_queue(self, key: Key) -> None:
        queue = self._waiting.pop(key, "")
        if queue in self._pending:
            self._pending[queue].discard(f"{key.namespace}/{key.name}")

    def _queue_of(self, obj: Object, now: datetime) -> str:
        """The ClusterQueue in which a Workload without quota waits; empty if in none."""
        if is_deleting(obj) or not eligibility.may_wait(obj, now):
            return ""
        local = self._objects.get(
            (LOCAL_QUEUES.kind, Key(obj["metadata"]["namespace"], obj["spec"].get("queueName") or ""))
        )
        if local is None or eligibility.holds(local):
            return ""
        name = local["spec"].get("clusterQueue") or ""
        return name if name in self._pending else ""

    def _may_use(self, cluster_queue: str) -> Any:
        queue = self._snapshot.queues[cluster_queue]
        return lambda workload: queue.admits_namespace(self._snapshot.namespaces.get(workload.namespace))


def resource_version(obj: Object) -> int:
    """Comparable since Kubernetes 1.35; 0 for an object that never was stored."""
    return int(obj["metadata"].get("resourceVersion") or 0)


class _Place(NamedTuple):
    node: str
    requests: dict[str, Decimal]


def _place_of(pod: Object) -> _Place | None:
    """None for a pod that is on no node, has ended, or is where the queue placed it."""
    node = pod["spec"].get("nodeName")
    if not node or has_ended(pod) or keys.WORKLOAD in annotations_of(pod):
        return None
    return _Place(node, {**pod_resources.of_pod(pod), "pods": Decimal(1)})


def _reduced(node: Object, used: dict[str, Decimal]) -> Object:
    status = node.get("status") or {}
    allocatable = {
        name: str(max(quantity.parse(amount) - used.get(name, Decimal(0)), Decimal(0)))
        for name, amount in (status.get("allocatable") or {}).items()
    }
    return {**node, "status": {**status, "allocatable": allocatable}}


def _ask(obj: Object) -> tuple[Any, ...]:
    """What a waiting Workload is judged by; other changes of it are no reason to look again."""
    status = obj.get("status") or {}
    known = status.get("conditions")
    return (
        obj["spec"],
        status.get("reclaimablePods"),
        [conditions.find(known, type_) for type_ in ("Evicted", "Requeued")],
        [check["state"] for check in status.get("admissionChecks") or ()],
    )


def _held(obj: Object) -> tuple[Any, ...]:
    status = obj.get("status") or {}
    ready = conditions.is_true(obj, "PodsReady")
    return status.get("admission"), status.get("reclaimablePods"), workload_status.is_evicted(obj), ready, obj["spec"]


def _decisive(resource: Resource, obj: Object) -> tuple[Any, ...]:
    """The part of an object that decisions depend on: heartbeats and counters are no news."""
    if resource == NODES:
        status = obj.get("status") or {}
        ready = conditions.is_true(obj, "Ready")
        return labels_of(obj), obj.get("spec"), status.get("allocatable"), ready
    if resource == NAMESPACES:
        return (labels_of(obj),)
    return (
        obj.get("spec"),
        is_deleting(obj),
        conditions.is_true(obj, "Active") if resource == ADMISSION_CHECKS else None,
    )
