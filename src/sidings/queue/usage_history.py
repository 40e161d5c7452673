"""What LocalQueues have used of late, where nobody but the asker keeps count: a simulation, a replay, a look ahead.

``admission_fair_sharing`` has the arithmetic; in an engine ``controllers/kueue/local_queue_usage`` keeps the same in
the status of LocalQueues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from sidings.api.objects import Object, name_of, namespace_of
from sidings.queue.admission_fair_sharing import Consumption, Rules, in_use, stored, weight_of
from sidings.queue.snapshot import Snapshot
from sidings.queue.workloads import Workload

LocalQueue = tuple[str, str]
"""(namespace, name)."""


class UsageHistory:
    """``begin`` is when those began whose status says nothing."""

    def __init__(self, local_queues: Iterable[Object], rules: Rules, begin: datetime) -> None:
        self.rules = rules
        self._weights: dict[LocalQueue, float] = {}
        self._known: dict[LocalQueue, Consumption] = {}
        for obj in local_queues:
            place = (namespace_of(obj) or "default", name_of(obj))
            self._weights[place] = weight_of(obj)
            self._known[place] = stored(obj, begin)

    def order(self, snapshot: Snapshot) -> None:
        """From now on it decides in the ClusterQueues of ``snapshot`` that ask for it."""
        for queue in snapshot.queues.values():
            if queue.usage_based:
                queue.burden_of = self.burden_of

    def burden_of(self, workload: Workload) -> float:
        place = (workload.namespace, workload.local_queue)
        known = self._known.get(place)
        return known.burden(self.rules, self._weights[place]) if known is not None else 0.0

    def admitted(self, workload: Workload) -> None:
        """Let the admission of ``workload`` count until the next sample does."""
        place = (workload.namespace, workload.local_queue)
        if place in self._known:
            self._known[place] = self._known[place].penalised(in_use([workload]), self.rules)

    def sample(self, holders: Iterable[Workload], now: datetime) -> None:
        """Take what ``holders`` use at ``now`` into account."""
        by_queue: dict[LocalQueue, list[Workload]] = {}
        for holder in holders:
            by_queue.setdefault((holder.namespace, holder.local_queue), []).append(holder)
        nothing: Mapping[str, float] = {}
        for place, known in self._known.items():
            current = in_use(by_queue[place]) if place in by_queue else nothing
            self._known[place] = known.sampled(current, now, self.rules)
