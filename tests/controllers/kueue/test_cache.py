"""What counts between a decision and the answer to its write."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from sidings.api.objects import Key, Object
from sidings.api.resources import CLUSTER_QUEUES, LOCAL_QUEUES, NAMESPACES, RESOURCE_FLAVORS
from sidings.controllers.kueue.cache import Cache
from sidings.queue import workloads
from sidings.queue.requeueing import Requeue
from sidings.queue.workloads import Admission, PodSetAdmission
from tests.queue import objects

NOW = datetime(2026, 1, 2, tzinfo=UTC)
LONG_AGO = "2026-01-01T00:00:00Z"
KEY = Key("default", "w")
ADMISSION = Admission("q", (PodSetAdmission("main", 1, {"cpu": "default"}, {"cpu": 1000}),))


def cache_with(*found: Object) -> Cache:
    cache = Cache()
    cache.see(NAMESPACES, {"metadata": {"name": "default"}}, gone=False, now=NOW)
    cache.see(RESOURCE_FLAVORS, objects.flavor(), gone=False, now=NOW)
    cache.see(CLUSTER_QUEUES, objects.cluster_queue("q"), gone=False, now=NOW)
    local = {"metadata": {"name": "q", "namespace": "default"}, "spec": {"clusterQueue": "q"}}
    cache.see(LOCAL_QUEUES, local, gone=False, now=NOW)
    cache.refresh(NOW)
    for obj in found:
        cache.see_workload(obj, gone=False, now=NOW)
    return cache


def stored(version: int, *, admitted: bool = False) -> Object:
    obj = objects.workload("w")
    obj["metadata"]["resourceVersion"] = str(version)
    if admitted:
        obj["status"] = {
            "admission": workloads.admission_object(ADMISSION),
            "conditions": [{"type": "QuotaReserved", "status": "True", "lastTransitionTime": LONG_AGO, "reason": "R"}],
        }
    return obj


def used(cache: Cache) -> int:
    return cache.snapshot.queues["q"].used(("default", "cpu"))


def assumed() -> Cache:
    cache = cache_with(stored(1))
    [head] = cache.heads()
    cache.assume(replace(head.waiting.workload, admission=ADMISSION))
    return cache


def test_an_assumed_admission_survives_other_news_of_its_workload() -> None:
    cache = assumed()
    cache.see_workload(stored(2), gone=False, now=NOW)
    assert used(cache) == 1000
    assert not cache.has_heads


def test_an_assumed_admission_survives_a_change_of_the_queues() -> None:
    cache = assumed()
    cache.see(CLUSTER_QUEUES, objects.cluster_queue("q", "8"), gone=False, now=NOW)
    cache.refresh(NOW)
    assert used(cache) == 1000
    assert not cache.has_heads


def test_what_the_answer_says_is_not_undone_by_late_events() -> None:
    cache = assumed()
    cache.confirm(stored(3, admitted=True), NOW)
    cache.see_workload(stored(2), gone=False, now=NOW)
    assert used(cache) == 1000
    cache.see_workload(stored(4), gone=False, now=NOW)
    assert used(cache) == 0


def test_events_before_the_answer_count_with_it() -> None:
    """An admission after an eviction: who still seemed evicted would be waited for by whoever preempts it, for ever."""
    evicted, again = stored(1), stored(2, admitted=True)
    evicted["status"] = {"conditions": [{"type": "Evicted", "status": "True", "lastTransitionTime": LONG_AGO}]}
    cache = cache_with(evicted)
    [head] = cache.heads()
    cache.assume(replace(head.waiting.workload, admission=ADMISSION))
    cache.see_workload(again, gone=False, now=NOW)
    cache.confirm(again, NOW)
    [(_, holder)] = cache.holders()
    assert not holder.evicted
    assert used(cache) == 1000


def test_a_workload_that_has_gone_before_the_answer_holds_nothing() -> None:
    cache = assumed()
    cache.see_workload(stored(3), gone=True, now=NOW)
    cache.confirm(stored(2, admitted=True), NOW)
    assert used(cache) == 0
    assert cache.workload(KEY) is None


def test_an_admission_that_was_not_written_gives_its_quota_and_its_place_back() -> None:
    cache = assumed()
    cache.forget(KEY, NOW)
    assert used(cache) == 0
    assert [head.waiting.workload.key for head in cache.heads()] == ["default/w"]


def test_a_change_around_a_queue_does_not_bring_back_at_once_who_was_set_aside() -> None:
    """Quota comes free in parts: an early look at a part of it would let a small workload pass a more important one."""
    cache = cache_with(stored(1))
    [head] = cache.heads()
    cache.give_back(head, head.waiting, Requeue.HOPELESS)
    cache.see(CLUSTER_QUEUES, objects.cluster_queue("of others"), gone=False, now=NOW)
    cache.refresh(NOW)
    assert not cache.has_heads
    assert cache.flush_is_due
    cache.flush()
    assert cache.has_heads
