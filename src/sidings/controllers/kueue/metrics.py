"""What happens in the queues, counted under Kueue's metric names when it happens (``kueue_*``, pkg/metrics of v0.19).

What is the case (who waits, who holds what) is in ``gauges``.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.exposition import Counter, Histogram
from sidings.api.objects import Object
from sidings.controllers.kueue import gauges, words, workload_status
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.gauges import ROLE, cluster_queue_of

WAIT_BUCKETS = (1.0, 2.5, 5.0, *(10.0 * 2**power for power in range(11)))
"""Seconds, as upstream's wait histograms have them."""
CYCLE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_QUEUE = ("cluster_queue", "priority_class")
_EVICTION = ("cluster_queue", "reason", "underlying_cause")


class KueueMetrics:
    """One scheduler's. ``lines`` is the exposition, states of the queues included."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._families: list[Counter | Histogram] = []
        self._attempts = self._counter("admission_attempts_total", "Cycles of the scheduler, by result", ("result",))
        self._cycles = self._histogram(
            "admission_attempt_duration_seconds", "Length of a cycle", ("result",), CYCLE_BUCKETS
        )
        self._reserved = self._counter("quota_reserved_workloads_total", "Reservations of quota")
        self._reserved_wait = self._histogram("quota_reserved_wait_time_seconds", "From creation or requeue to quota")
        self._admitted = self._counter("admitted_workloads_total", "Admissions")
        self._admitted_wait = self._histogram("admission_wait_time_seconds", "From creation or requeue to admission")
        self._checks_wait = self._histogram(
            "admission_checks_wait_time_seconds", "From quota to admission, with checks"
        )
        self._ready_wait = self._histogram("ready_wait_time_seconds", "From creation or requeue to all pods ready")
        self._until_ready = self._histogram(
            "admitted_until_ready_wait_time_seconds", "From admission to all pods ready"
        )
        self._finished = self._counter("finished_workloads_total", "Workloads that have finished")
        self._execution = self._histogram("execution_time_seconds", "From the last admission to the end")
        self._evicted = self._counter("evicted_workloads_total", "Evictions", (*_EVICTION, "priority_class"))
        self._evicted_once = self._counter(
            "evicted_workloads_once_total",
            "Workloads that were evicted for the first time for this reason",
            ("cluster_queue", "reason", "detailed_reason", "priority_class"),
        )
        self._eviction = self._histogram(
            "workload_eviction_latency_seconds", "From eviction to free quota", _EVICTION[:2]
        )
        self._ready_to_evicted = self._histogram(
            "pods_ready_to_evicted_time_seconds", "From ready pods to eviction", _EVICTION
        )
        self._preempted = self._counter(
            "preempted_workloads_total", "Preemptions", ("preempting_cluster_queue", "reason")
        )

    def cycle(self, seconds: float, *, admitted: bool) -> None:
        result = "success" if admitted else "inadmissible"
        self._attempts.add((result,))
        self._cycles.observe((result,), seconds)

    def preempted(self, preemptor: str, reason: str) -> None:
        self._preempted.add((preemptor, reason))

    def changed(self, before: Object | None, after: Object, now: datetime) -> None:
        """A Workload went from one state to the next."""
        if before is None:
            return
        labels = (cluster_queue_of(after), priority_class(after))
        if _became(before, after, words.QUOTA_RESERVED):
            self._reserved.add(labels)
            self._reserved_wait.observe(labels, _waited(after, now))
        if _became(before, after, words.ADMITTED):
            self._admitted.add(labels)
            self._admitted_wait.observe(labels, _waited(after, now))
            if (after.get("status") or {}).get("admissionChecks"):
                self._checks_wait.observe(labels, _since(after, words.QUOTA_RESERVED, now))
        if _became(before, after, words.PODS_READY) and workload_status.is_admitted(after):
            self._ready_wait.observe(labels, _waited(after, now))
            self._until_ready.observe(labels, _since(after, words.ADMITTED, now))
        if _became(before, after, words.FINISHED):
            self._finished.add(labels)
            if workload_status.is_admitted(after):
                self._execution.observe(labels, _since(after, words.ADMITTED, now))
        if _became(before, after, words.EVICTED):
            self._count_eviction(before, after, now)
        released = workload_status.has_quota(before) and not workload_status.has_quota(after)
        if released and workload_status.is_evicted(after):
            evicted = conditions.find(after["status"]["conditions"], words.EVICTED) or {}
            reason, _ = workload_status.counted_as(evicted["reason"])
            self._eviction.observe((cluster_queue_of(before), reason), _since(after, words.EVICTED, now))

    def _count_eviction(self, before: Object, after: Object, now: datetime) -> None:
        """By what the Workload itself counts: the entry of its statistics that has grown."""
        counted = _evictions(before)
        for (reason, cause), count in _evictions(after).items():
            if count > counted.get((reason, cause), 0):
                labels = (cluster_queue_of(after), reason, cause)
                self._evicted.add((*labels, priority_class(after)))
                if count == 1:
                    self._evicted_once.add((*labels, priority_class(after)))
                if conditions.is_true(before, words.PODS_READY):
                    self._ready_to_evicted.observe(labels, _since(before, words.PODS_READY, now))

    def lines(self) -> list[str]:
        return [*(line for one in self._families for line in one.lines()), *gauges.lines(self._cache)]

    def _counter(self, name: str, help_: str, labels: Sequence[str] = _QUEUE) -> Counter:
        made = Counter(f"kueue_{name}", help_, labels, ROLE)
        self._families.append(made)
        return made

    def _histogram(
        self, name: str, help_: str, labels: Sequence[str] = _QUEUE, buckets: Sequence[float] = WAIT_BUCKETS
    ) -> Histogram:
        made = Histogram(f"kueue_{name}", help_, labels, buckets, ROLE)
        self._families.append(made)
        return made


def priority_class(workload: Object) -> str:
    return str((workload["spec"].get("priorityClassRef") or {}).get("name") or "")


def _became(before: Object, after: Object, type_: str) -> bool:
    return conditions.is_true(after, type_) and not conditions.is_true(before, type_)


def _evictions(workload: Object) -> dict[tuple[str, str], int]:
    """How often it was evicted, by reason and underlying cause."""
    statistics = ((workload.get("status") or {}).get("schedulingStats") or {}).get("evictions") or ()
    return {(entry["reason"], entry["underlyingCause"]): entry["count"] for entry in statistics}


def _since(workload: Object, type_: str, now: datetime) -> float:
    """Seconds for which a condition has had its status."""
    since = workload_status.since(workload, type_)
    return max((now - since).total_seconds(), 0.0) if since is not None else 0.0


def _waited(workload: Object, now: datetime) -> float:
    """Since it was created, or came back to its queue."""
    requeued = conditions.find(workload["status"]["conditions"], words.REQUEUED)
    since = requeued["lastTransitionTime"] if requeued else workload["metadata"]["creationTimestamp"]
    return max((now - timestamps.from_text(since)).total_seconds(), 0.0)
