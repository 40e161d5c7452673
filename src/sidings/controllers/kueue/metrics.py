"""Figures of the queue under Kueue's names (``kueue_*``, pkg/metrics of v0.19).

What happens is counted when it happens; what is the case (who waits, who holds what) is read from the cache when
somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from sidings.api import conditions, timestamps
from sidings.api.exposition import Counter, Histogram, family
from sidings.api.objects import Object, name_of
from sidings.api.resources import CLUSTER_QUEUES
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.queue_status import LARGEST
from sidings.queue import fair_sharing
from sidings.queue.quota import Node

WAIT_BUCKETS = (1.0, 2.5, 5.0, *(10.0 * 2**power for power in range(11)))
"""Seconds, as upstream's wait histograms have them."""
CYCLE_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_QUEUE = ("cluster_queue", "priority_class")
_Sample = tuple[dict[str, str], float]


class KueueMetrics:
    """One scheduler's. ``lines`` is the exposition."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._attempts = Counter(
            "kueue_admission_attempts_total", "Cycles of the scheduler, by whether anybody was admitted", ("result",)
        )
        self._cycles = Histogram(
            "kueue_admission_attempt_duration_seconds", "Time that a cycle took", ("result",), CYCLE_BUCKETS
        )
        self._reserved = Counter("kueue_quota_reserved_workloads_total", "Reservations of quota", _QUEUE)
        self._reserved_wait = Histogram(
            "kueue_quota_reserved_wait_time_seconds", "From creation or requeue to quota", _QUEUE, WAIT_BUCKETS
        )
        self._admitted = Counter("kueue_admitted_workloads_total", "Admissions", _QUEUE)
        self._admitted_wait = Histogram(
            "kueue_admission_wait_time_seconds", "From creation or requeue to admission", _QUEUE, WAIT_BUCKETS
        )
        self._evicted = Counter(
            "kueue_evicted_workloads_total",
            "Evictions",
            ("cluster_queue", "reason", "underlying_cause", "priority_class"),
        )
        self._preempted = Counter(
            "kueue_preempted_workloads_total", "Preemptions", ("preempting_cluster_queue", "reason")
        )
        self._finished = Counter("kueue_finished_workloads_total", "Workloads that have finished", _QUEUE)

    # What happens.

    def cycle(self, seconds: float, *, admitted: bool) -> None:
        result = "success" if admitted else "inadmissible"
        self._attempts.add((result,))
        self._cycles.observe((result,), seconds)

    def preempted(self, preemptor: str, reason: str) -> None:
        self._preempted.add((preemptor, reason))

    def changed(self, before: Object | None, after: Object, now: datetime) -> None:
        """A Workload went from one state to the next."""
        queue = ((after.get("status") or {}).get("admission") or {}).get("clusterQueue") or ""
        labels = (queue, priority_class(after))
        if _became(before, after, words.QUOTA_RESERVED):
            self._reserved.add(labels)
            self._reserved_wait.observe(labels, _waited(after, now))
        if _became(before, after, words.ADMITTED):
            self._admitted.add(labels)
            self._admitted_wait.observe(labels, _waited(after, now))
        if _became(before, after, words.FINISHED):
            self._finished.add(labels)
        if _became(before, after, words.EVICTED):
            reason = (conditions.find(after["status"]["conditions"], words.EVICTED) or {}).get("reason", "")
            counted = words.DEACTIVATED if reason.startswith(workload_status.DEACTIVATED_DUE_TO) else reason
            cause = reason.removeprefix(workload_status.DEACTIVATED_DUE_TO) if counted != reason else ""
            self._evicted.add((queue, counted, cause, labels[1]))

    # What is the case.

    def lines(self) -> list[str]:
        happened = (
            self._attempts,
            self._cycles,
            self._reserved,
            self._reserved_wait,
            self._admitted,
            self._admitted_wait,
            self._evicted,
            self._preempted,
            self._finished,
        )
        return [line for one in happened for line in one.lines()] + list(self._states())

    def _states(self) -> Iterator[str]:
        pending, reserving, admitted = self._counts()
        yield from family("kueue_pending_workloads", "gauge", "Workloads that wait", pending)
        yield from family("kueue_reserving_active_workloads", "gauge", "Workloads that hold quota", reserving)
        yield from family("kueue_admitted_active_workloads", "gauge", "Workloads that are admitted", admitted)
        yield from family("kueue_cluster_queue_status", "gauge", "1 for the state a queue is in", self._queue_states())
        for name, help_, samples in (
            ("resource_reservation", "Quota that is held", self._usage()),
            ("nominal_quota", "Quota of its own", self._quota("nominal")),
            ("borrowing_limit", "Most it may borrow", self._quota("borrowing_limit")),
            ("lending_limit", "Most it may lend", self._quota("lending_limit")),
        ):
            yield from family(f"kueue_cluster_queue_{name}", "gauge", help_, samples)
        shares = [({"cluster_queue": q.name}, min(fair_sharing.share(q).value, LARGEST)) for q in self._queues()]
        yield from family("kueue_cluster_queue_weighted_share", "gauge", "Share of what the cohort lends", shares)

    def _queues(self) -> Iterable[Node]:
        return self._cache.snapshot.queues.values()

    def _counts(self) -> tuple[list[_Sample], list[_Sample], list[_Sample]]:
        waiting: list[_Sample] = []
        for name in self._cache.snapshot.queues:
            active, inadmissible = self._cache.sizes(name)
            waiting.append(({"cluster_queue": name, "status": "active"}, active))
            waiting.append(({"cluster_queue": name, "status": "inadmissible"}, inadmissible))
        tallies = {name: self._cache.tallies.of_cluster_queue(name) for name in self._cache.snapshot.queues}
        reserving = [({"cluster_queue": name}, float(tally.reserving)) for name, tally in tallies.items()]
        admitted = [({"cluster_queue": name}, float(tally.admitted)) for name, tally in tallies.items()]
        return waiting, reserving, admitted

    def _queue_states(self) -> Iterator[_Sample]:
        for obj in self._cache.of_kind(CLUSTER_QUEUES):
            queue = self._cache.snapshot.queues.get(name_of(obj))
            terminating = bool(obj["metadata"].get("deletionTimestamp"))
            now = "terminating" if terminating else "active" if queue and queue.inactive is None else "pending"
            for state in ("pending", "active", "terminating"):
                yield {"cluster_queue": name_of(obj), "status": state}, float(state == now)

    def _usage(self) -> Iterator[_Sample]:
        for queue in self._queues():
            for (flavor, resource), amount in queue.usage.items():
                yield _labels(queue, flavor, resource), _in_units(resource, amount)

    def _quota(self, which: str) -> Iterator[_Sample]:
        for queue in self._queues():
            for (flavor, resource), quota in queue.quotas.items():
                amount = getattr(quota, which)
                if amount is not None:
                    yield _labels(queue, flavor, resource), _in_units(resource, amount)


def priority_class(workload: Object) -> str:
    return str((workload["spec"].get("priorityClassRef") or {}).get("name") or "")


def _labels(queue: Node, flavor: str, resource: str) -> dict[str, str]:
    cohort = queue.parent.name if queue.parent is not None else ""
    return {"cohort": cohort, "cluster_queue": queue.name, "flavor": flavor, "resource": resource}


def _in_units(resource: str, amount: int) -> float:
    return amount / 1000 if resource == "cpu" else float(amount)


def _became(before: Object | None, after: Object, type_: str) -> bool:
    return conditions.is_true(after, type_) and before is not None and not conditions.is_true(before, type_)


def _waited(workload: Object, now: datetime) -> float:
    """Since it was created, or came back to its queue."""
    requeued = conditions.find(workload["status"]["conditions"], words.REQUEUED)
    since = requeued["lastTransitionTime"] if requeued else workload["metadata"]["creationTimestamp"]
    return max((now - timestamps.from_text(since)).total_seconds(), 0.0)
