"""What is the case in the queues, under Kueue's metric names: read from the cache when somebody asks (v0.19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import sidings
from sidings.api import conditions
from sidings.api.exposition import family
from sidings.api.objects import Key, Object, name_of
from sidings.api.resources import CLUSTER_QUEUES, WORKLOADS
from sidings.controllers.kueue import words, workload_status
from sidings.controllers.kueue.cache import Cache
from sidings.controllers.kueue.queue_status import LARGEST
from sidings.queue import amounts, fair_sharing
from sidings.queue.amounts import Usage
from sidings.queue.quota import Node

ROLE = {"replica_role": "standalone"}
"""On every figure of upstream's: it may have replicas of which one leads."""
_Sample = tuple[dict[str, str], float]


def lines(cache: Cache) -> Iterator[str]:
    """All gauges as Prometheus reads them."""
    for name, help_, samples in (
        ("build_info", "The program that tells all this", [({"git_version": f"v{sidings.__version__}"}, 1.0)]),
        ("pending_workloads", "Workloads that wait", _pending(cache)),
        ("reserving_active_workloads", "Workloads that hold quota", _tallied(cache, "reserving")),
        ("admitted_active_workloads", "Workloads that are admitted", _tallied(cache, "admitted")),
        ("finished_workloads", "Workloads that are over and not deleted yet", _finished(cache)),
        ("unadmitted_workloads", "Workloads that wait, by what for", _unadmitted(cache)),
        ("cluster_queue_status", "1 for the state a queue is in", _states(cache)),
        ("cluster_queue_info", "The cohorts above a queue", map(_info, _queues(cache))),
        ("cluster_queue_resource_reservation", "Quota that is held", _held(cache, "reserved")),
        ("cluster_queue_resource_usage", "Quota that admitted Workloads hold", _held(cache, "used")),
        ("cluster_queue_nominal_quota", "Quota of its own", _quota(cache, "nominal")),
        ("cluster_queue_borrowing_limit", "Most it may borrow", _quota(cache, "borrowing_limit")),
        ("cluster_queue_lending_limit", "Most it may lend", _quota(cache, "lending_limit")),
        ("cluster_queue_weighted_share", "Share of what the cohort lends", _shares(_queues(cache), "cluster_queue")),
        ("cohort_info", "The cohorts above a cohort", map(_cohort_info, _cohorts(cache))),
        ("cohort_subtree_quota", "Quota of all below a cohort", _subtree(cache, "subtree_quota")),
        ("cohort_subtree_resource_reservations", "Quota held of all below a cohort", _subtree(cache, "usage")),
        ("cohort_weighted_share", "Share of what the cohort above lends", _shares(_cohorts(cache), "cohort")),
    ):
        yield from family(f"kueue_{name}", "gauge", help_, (({**labels, **ROLE}, value) for labels, value in samples))


def _queues(cache: Cache) -> Iterable[Node]:
    return cache.snapshot.queues.values()


def _cohorts(cache: Cache) -> Iterable[Node]:
    """Those that have queues below them, each once."""
    return {above.name: above for queue in _queues(cache) for above in queue.ancestors()}.values()


def _pending(cache: Cache) -> Iterator[_Sample]:
    for name in cache.snapshot.queues:
        for status, size in zip(("active", "inadmissible"), cache.sizes(name), strict=True):
            yield {"cluster_queue": name, "status": status}, size


def _tallied(cache: Cache, which: str) -> Iterator[_Sample]:
    for name in cache.snapshot.queues:
        yield {"cluster_queue": name}, float(getattr(cache.tallies.of_cluster_queue(name), which))


def _workloads(cache: Cache) -> Iterator[Object]:
    for key in cache.known(WORKLOADS):
        if (obj := cache.workload(key)) is not None:
            yield obj


def _finished(cache: Cache) -> Iterator[_Sample]:
    found = Counter(cluster_queue_of(obj) for obj in _workloads(cache) if workload_status.is_finished(obj))
    for name, count in found.items():
        yield {"cluster_queue": name}, count


def _unadmitted(cache: Cache) -> Iterator[_Sample]:
    found: Counter[tuple[str, str]] = Counter()
    for name in cache.snapshot.queues:
        for workload in cache.waiting(name):
            obj = cache.workload(Key(workload.namespace, workload.name)) or {}
            reserved = conditions.find((obj.get("status") or {}).get("conditions"), words.QUOTA_RESERVED) or {}
            found[name, reserved.get("reason") or words.PENDING_EVALUATION] += 1
    for (queue, reason), count in found.items():
        yield {"cluster_queue": queue, "reason": reason, "underlying_cause": ""}, count


def _states(cache: Cache) -> Iterator[_Sample]:
    for obj in cache.of_kind(CLUSTER_QUEUES):
        queue = cache.snapshot.queues.get(name_of(obj))
        terminating = bool(obj["metadata"].get("deletionTimestamp"))
        now = "terminating" if terminating else "active" if queue and queue.inactive is None else "pending"
        for state in ("pending", "active", "terminating"):
            yield {"cluster_queue": name_of(obj), "status": state}, float(state == now)


def _info(queue: Node) -> _Sample:
    root = queue.root.name if queue.parent is not None else ""
    return {"cluster_queue": queue.name, "cohort": _above(queue), "root_cohort": root}, 1.0


def _cohort_info(cohort: Node) -> _Sample:
    return {"cohort": cohort.name, "parent_cohort": _above(cohort), "root_cohort": cohort.root.name}, 1.0


def _held(cache: Cache, which: str) -> Iterator[_Sample]:
    for queue in _queues(cache):
        usage: Usage = getattr(cache.tallies.of_cluster_queue(queue.name), which)
        for flavor, resource in queue.quotas:
            yield _labels(queue, flavor, resource), amounts.in_units(resource, usage.get((flavor, resource), 0))


def _quota(cache: Cache, which: str) -> Iterator[_Sample]:
    for queue in _queues(cache):
        for (flavor, resource), quota in queue.quotas.items():
            amount = getattr(quota, which)
            if amount is not None:
                yield _labels(queue, flavor, resource), amounts.in_units(resource, amount)


def _subtree(cache: Cache, which: str) -> Iterator[_Sample]:
    for cohort in _cohorts(cache):
        usage: Usage = getattr(cohort, which)
        for (flavor, resource), amount in usage.items():
            yield {"cohort": cohort.name, "flavor": flavor, "resource": resource}, amounts.in_units(resource, amount)


def _shares(nodes: Iterable[Node], label: str) -> Iterator[_Sample]:
    for node in nodes:
        yield {label: node.name}, min(fair_sharing.share(node).value, LARGEST)


def _labels(queue: Node, flavor: str, resource: str) -> dict[str, str]:
    return {"cohort": _above(queue), "cluster_queue": queue.name, "flavor": flavor, "resource": resource}


def _above(node: Node) -> str:
    """The name of its cohort, empty without one."""
    return node.parent.name if node.parent is not None else ""


def cluster_queue_of(workload: Object) -> str:
    """Whose quota ``workload`` holds, or held when it ended; empty if none's."""
    return str(((workload.get("status") or {}).get("admission") or {}).get("clusterQueue") or "")
