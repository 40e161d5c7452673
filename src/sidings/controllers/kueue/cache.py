"""Everything the scheduler decides upon, kept up to date from watch events.

Queues, flavors and the like change seldom: then all is built anew. Workloads change all the time: each change moves one
of them between who holds quota (the snapshot), who waits (a ``PendingQueue`` per ClusterQueue) and who does neither.
Between a decision and the answer to the write that makes it true the decision counts (:meth:`assume`), whatever else
happens meanwhile, so that no quota is given twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sidings.api import conditions
from sidings.api.objects import Key, Object, is_deleting, key_of
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
from sidings.controllers.kueue import relevance, workload_status
from sidings.controllers.kueue.foreign_pods import ForeignPods
from sidings.controllers.kueue.tallies import Entry, Tallies
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
        self._pods = ForeignPods()
        self.tallies = Tallies()
        self._broken: dict[Key, Workload] = {}
        """Holders under which nodes have failed."""
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
        if old is None or relevance.of_surrounding(resource, old) != relevance.of_surrounding(resource, obj):
            self._stale = True

    def see_pod(self, pod: Object, *, gone: bool) -> bool:
        """A change of a pod: what runs on a node beside the queue's placements is not free for them.

        Returns whether that could change a decision.
        """
        topologies = self._snapshot.topologies
        took, gave = self._pods.see(pod, topologies.values(), gone=gone)
        if not topologies or not (took or gave):
            return False
        self.changes += 1
        if gave:
            queues = self._snapshot.queues.values()
            self._flushed |= {queue.root for queue in queues if queue.flavors & topologies.keys()}
        return True

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
        self._snapshot = snapshot.build(self._objects.values())
        self._pods.occupy(self._snapshot.topologies.values())
        for name, queue in self._snapshot.queues.items():
            queue.freed = freed.get(name, 0) + 1
        for queue in self._snapshot.queues.values():
            queue.burden_of = self.burden_of if queue.usage_based else nobody_is_burdened
        before = self._pending
        self._pending = {queue.name: PendingQueue.of(queue) for queue in self._snapshot.queues.values()}
        self._holders.clear()
        self._broken.clear()
        self._waiting.clear()
        self.tallies = Tallies()
        for key, workload in self._assumed.items():
            self._take(key, workload)
            self._count(key)
        for key, obj in self._workloads.items():
            self._settle(key, None, obj, now)
        for name, queue_before in before.items():
            if name in self._pending:
                self._pending[name].take_over(queue_before)
        # Those set aside are looked at a second later, as upstream does: a change often comes in several parts.
        self._flushed = {queue.root for queue in self._snapshot.queues.values()}

    def flush(self) -> None:
        """Quota came free: those set aside in the trees that are concerned are worth a look again."""
        self.changes += 1
        for name, queue in self._snapshot.queues.items():
            if queue.root in self._flushed:
                self._pending[name].flush(self._may_use(name))
        self._flushed.clear()

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
        self._count(key)

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
        self._settle(key, None, self._workloads.get(key), now)

    def give_back(self, head: Head, waiting: Waiting, why: Requeue) -> None:
        """A head that was not admitted; one that has left its queue meanwhile stays away."""
        workload = waiting.workload
        if self._waiting.get(Key(workload.namespace, workload.name)) == head.cluster_queue:
            queue = self._pending[head.cluster_queue]
            queue.requeue(waiting, why)
            if not queue.is_active(workload.key):
                self.changes += 1  # the next one is the head now

    def bypassed(self) -> list[Workload]:
        """Who was set aside since the last call because one of the same shape was refused."""
        return [workload for queue in self._pending.values() for workload in queue.bypassed()]

    def is_set_aside(self, key: Key) -> bool:
        queue = self._pending.get(self._waiting.get(key, ""))
        return queue is not None and queue.is_set_aside(f"{key.namespace}/{key.name}")

    def waiting(self, cluster_queue: str) -> list[Workload]:
        """Who waits for a ClusterQueue, first come first."""
        queue = self._pending.get(cluster_queue)
        return sorted(queue or (), key=lambda w: (-w.priority, w.queued_at, w.uid))

    def sizes(self, cluster_queue: str) -> tuple[int, int]:
        """How many of a ClusterQueue's are to be looked at, and how many are set aside until something changes."""
        queue = self._pending.get(cluster_queue)
        return (queue.active, queue.set_aside) if queue is not None else (0, 0)

    def broken(self) -> list[Workload]:
        """Who holds quota and needs other nodes, since some have failed."""
        return list(self._broken.values())

    def holders(self) -> Iterator[tuple[Key, Workload]]:
        yield from self._holders.items()

    def of_kind(self, resource: Resource) -> Iterator[Object]:
        return (obj for (kind, _), obj in self._objects.items() if kind == resource.kind)

    def known(self, resource: Resource) -> set[Key]:
        """Of which objects of a kind it has heard."""
        if resource == WORKLOADS:
            return set(self._workloads)
        if resource == PODS:
            return self._pods.known()
        return {key for kind, key in self._objects if kind == resource.kind}

    # One Workload.

    def _settle(self, key: Key, before: Object | None, obj: Object | None, now: datetime) -> None:
        if key not in self._assumed:
            self._place(key, before, obj, now)
            self._count(key)

    def _place(self, key: Key, before: Object | None, obj: Object | None, now: datetime) -> None:
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
        elif self._waiting.get(key) == queue and before is not None and _judged_alike(before, obj):
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
            if before is not None and relevance.of_holder(before) == relevance.of_holder(obj):
                return
            self.changes += 1
            self._broken.pop(key, None)
            self._snapshot.remove(old)
            if (old.admission, old.priority) != (workload.admission, workload.priority):
                self._freed(old)
        self._take(key, workload)

    def _count(self, key: Key) -> None:
        """What the statuses of its queues tell of it."""
        obj, holder = self._workloads.get(key), self._holders.get(key)
        entry = None
        if holder is not None:
            held, admitted = workloads.held(holder), obj is not None and workload_status.is_admitted(obj)
            entry = Entry(Key(key.namespace, holder.local_queue), held.cluster_queue, held.usage, admitted)
        elif obj is not None and workload_status.is_active(obj) and not workload_status.is_finished(obj):
            queue = Key(key.namespace, obj["spec"].get("queueName") or "")
            local = self.local_queue(queue)
            if local is not None and not eligibility.holds(local):
                entry = Entry(queue, self._waiting.get(key, ""))
        self.tallies.put(key, entry)

    def _take(self, key: Key, workload: Workload) -> None:
        """Give ``workload`` the quota of its admission, if the queue still exists."""
        if workloads.held(workload).cluster_queue in self._snapshot.queues:
            self._holders[key] = workload
            self._snapshot.add(workload)
            if workload.unhealthy_nodes and not workload.evicted:
                self._broken[key] = workload
        else:
            self._holders.pop(key, None)

    def _drop_holder(self, key: Key) -> None:
        old = self._holders.pop(key)
        self._broken.pop(key, None)
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
        local = self.local_queue(Key(obj["metadata"]["namespace"], obj["spec"].get("queueName") or ""))
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


def _judged_alike(one: Object, other: Object) -> bool:
    return relevance.of_waiting(one) == relevance.of_waiting(other)
