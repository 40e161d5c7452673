from typing import Any

import pytest

from sidings.api.objects import Object
from sidings.queue import cycle, preemption, snapshot, workloads
from sidings.queue.cycle import Decision, Head, Outcome
from sidings.queue.equivalence import shape
from sidings.queue.requeueing import Requeue
from sidings.queue.snapshot import Snapshot
from sidings.queue.waiting import Waiting
from tests.queue.objects import admitted, cluster_queue, flavor, workload

LOWER = {"withinClusterQueue": "LowerPriority"}


def taken(state: Snapshot, heads: dict[str, Object], **config: Any) -> dict[str, Decision]:
    waiting = [
        Head(Waiting(view, shape(view)), queue) for queue, obj in heads.items() for view in [workloads.of_object(obj)]
    ]
    decisions = cycle.run(state, waiting, preemption.Config(**config), 1)
    return {decision.head.waiting.workload.name: decision for decision in decisions}


def state_of(*objects: Object) -> Snapshot:
    state = snapshot.build([flavor(), *objects])
    for obj in objects:
        if obj["kind"] == "Workload":
            state.add(workloads.of_object(obj))
    return state


def usage(state: Snapshot) -> dict[str, dict[Any, int]]:
    nodes = [*state.queues.values(), *(c for q in state.queues.values() for c in q.ancestors())]
    return {node.name: {key: used for key, used in node.usage.items() if used} for node in nodes}


def test_what_fits_is_admitted() -> None:
    [decision] = taken(state_of(cluster_queue("q")), {"q": workload("w", count=4)}).values()
    assert decision.outcome is Outcome.ADMIT
    assert decision.admission is not None
    assert decision.admission.usage == {("default", "cpu"): 4000}


def test_the_second_of_a_cohort_finds_what_the_first_left() -> None:
    queues = [cluster_queue(name, "2", cohortName="team") for name in ("a", "b")]
    decisions = taken(state_of(*queues), {"a": workload("old", "3", age=9), "b": workload("new", "3")})
    assert decisions["old"].outcome is Outcome.ADMIT
    assert decisions["new"].message == "Workload no longer fits after processing another workload"
    assert decisions["new"].requeue is Requeue.FAILED_AFTER_NOMINATION


def test_whoever_borrows_less_goes_first() -> None:
    queues = [cluster_queue(name, "2", cohortName="team") for name in ("a", "b")]
    decisions = taken(state_of(*queues), {"a": workload("large", "3", age=9, priority=9), "b": workload("own", "2")})
    assert decisions["own"].outcome is Outcome.ADMIT
    assert decisions["large"].outcome is Outcome.WAIT


def test_a_preemptor_evicts_and_waits() -> None:
    low = admitted(workload("low", "4", priority=-1), "q")
    [decision] = taken(state_of(cluster_queue("q", preemption=LOWER), low), {"q": workload("w", "4")}).values()
    assert decision.outcome is Outcome.PREEMPT
    assert [eviction.workload.name for eviction in decision.evictions] == ["low"]
    assert decision.evictions[0].reason == "InClusterQueue"
    assert decision.message.endswith("Pending the preemption of 1 workload(s)")


def test_who_is_on_the_way_out_is_not_evicted_twice() -> None:
    low = admitted(workload("low", "4", priority=-1), "q")
    low["status"]["conditions"].append({"type": "Evicted", "status": "True", "reason": "Preempted"})
    low["status"]["conditions"][-1]["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    [decision] = taken(state_of(cluster_queue("q", preemption=LOWER), low), {"q": workload("w", "4")}).values()
    assert decision.outcome is Outcome.PREEMPT
    assert decision.evictions == []


def test_a_foreign_namespace_is_refused() -> None:
    queue = cluster_queue("q", namespaceSelector={"matchLabels": {"team": "a"}})
    [decision] = taken(state_of(queue), {"q": workload("w")}).values()
    assert (decision.reason, decision.requeue) == ("Misconfigured", Requeue.NAMESPACE_MISMATCH)
    assert decision.message == "workload namespace doesn't match ClusterQueue selector"


@pytest.mark.parametrize("fair_sharing", [False, True])
def test_the_snapshot_is_given_back_as_it_came(fair_sharing: bool) -> None:
    preempting = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}
    queues = [cluster_queue(name, "4", cohortName="team", preemption=preempting) for name in ("a", "b", "c")]
    running = [admitted(workload(f"c{i}", "3"), "c", since=i) for i in range(4)]
    state = state_of(*queues, *running)
    before = usage(state)
    decisions = taken(state, {"a": workload("wa", "4"), "b": workload("wb", "4")}, fair_sharing=fair_sharing)
    assert {decision.outcome for decision in decisions.values()} & {Outcome.PREEMPT}
    assert usage(state) == before
    assert sorted(state.queues["c"].workloads) == [f"default/c{i}" for i in range(4)]


def test_a_queue_that_uses_more_than_it_may_keeps_nothing_back() -> None:
    """Its quota was lowered under those who hold it: what would be kept for the next of it is less than nothing."""
    small = {"nominalQuota": "2", "borrowingLimit": "2"}
    queue = cluster_queue("q", {"default": small}, cohortName="c", preemption=LOWER)
    holder = admitted(workload("holder", count=6), "q")
    state = state_of(queue, cluster_queue("other", "0", cohortName="c"), holder)
    before = usage(state)
    assert taken(state, {"q": workload("w")})["w"].outcome is Outcome.WAIT
    assert usage(state) == before
