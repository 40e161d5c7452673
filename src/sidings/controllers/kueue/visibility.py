"""Who waits for a queue and at which place, for the visibility API."""

from __future__ import annotations

from collections import Counter

from sidings.api.objects import Key, Object, name_of, namespace_of
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES, Resource
from sidings.api.status import NotFound
from sidings.controllers.kueue.cache import Cache


class PendingList:
    """Reads the scheduler's cache; implements ``api.visibility.PendingWorkloads``."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def of_cluster_queue(self, name: str) -> list[Object]:
        if name not in self._cache.snapshot.queues:
            raise _missing(CLUSTER_QUEUES, name)
        found: list[Object] = []
        before: Counter[tuple[str, str]] = Counter()
        for position, workload in enumerate(self._cache.waiting(name)):
            obj = self._cache.workload(Key(workload.namespace, workload.name))
            if obj is None:
                continue
            local = (workload.namespace, workload.local_queue)
            found.append(_item(obj, workload.priority, workload.local_queue, position, before[local]))
            before[local] += 1
        return found

    def of_local_queue(self, namespace: str, name: str) -> list[Object]:
        for obj in self._cache.of_kind(LOCAL_QUEUES):
            if (namespace_of(obj), name_of(obj)) == (namespace, name):
                queue = obj["spec"].get("clusterQueue") or ""
                items = self.of_cluster_queue(queue) if queue in self._cache.snapshot.queues else []
                return [it for it in items if (it["metadata"]["namespace"], it["localQueueName"]) == (namespace, name)]
        raise _missing(LOCAL_QUEUES, name)


def _missing(resource: Resource, name: str) -> NotFound:
    return NotFound(
        f'{resource.group_resource} "{name}" not found', name=name, group=resource.group, kind=resource.plural
    )


def _item(obj: Object, priority: int, local_queue: str, in_cluster_queue: int, in_local_queue: int) -> Object:
    metadata = obj["metadata"]
    kept = ("name", "namespace", "creationTimestamp", "ownerReferences")
    return {
        "metadata": {field: metadata[field] for field in kept if field in metadata},
        "priority": priority,
        "localQueueName": local_queue,
        "positionInClusterQueue": in_cluster_queue,
        "positionInLocalQueue": in_local_queue,
    }
