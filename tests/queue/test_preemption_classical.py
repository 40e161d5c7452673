from typing import Any

from sidings.queue import preemption_classical, snapshot, workloads
from sidings.queue.preemption import Preemptor
from tests.queue.objects import admitted, cluster_queue, workload

CPU = ("default", "cpu")


def victims(*objects: dict[str, Any], queue: str, cpu: int, priority: int = 0) -> dict[str, str]:
    """Names and reasons for a preemptor that asks for ``cpu``."""
    state = snapshot.build(objects)
    for obj in objects:
        if obj["kind"] == "Workload":
            state.add(workloads.of_object(obj))
    asking = workloads.of_object(workload("asking", priority=priority))
    preemptor = Preemptor(asking, state.queues[queue], {CPU}, {CPU: cpu * 1000})
    return {victim.workload.name: victim.reason for victim in preemption_classical.victims(state, preemptor)}


def test_the_least_important_and_the_youngest_first() -> None:
    queue = cluster_queue("q", "3", preemption={"withinClusterQueue": "LowerPriority"})
    running = [
        admitted(workload("low-old", priority=-2), "q", since=1),
        admitted(workload("low-new", priority=-2), "q", since=2),
        admitted(workload("mid", priority=-1), "q", since=3),
    ]
    assert list(victims(queue, *running, queue="q", cpu=1)) == ["low-new"]
    assert set(victims(queue, *running, queue="q", cpu=2)) == {"low-new", "low-old"}


def test_who_turns_out_not_to_be_needed_is_spared() -> None:
    queue = cluster_queue("q", "4", preemption={"withinClusterQueue": "LowerPriority"})
    running = [admitted(workload("small", "1", priority=-2), "q"), admitted(workload("large", "3", priority=-1), "q")]
    assert list(victims(queue, *running, queue="q", cpu=3)) == ["large"]


def test_what_is_lent_is_reclaimed_but_not_more() -> None:
    lender = cluster_queue("lender", "2", cohortName="team", preemption={"reclaimWithinCohort": "Any"})
    borrower = cluster_queue("borrower", "1", cohortName="team")
    running = [admitted(workload(f"b{i}", priority=5), "borrower", since=i) for i in range(3)]
    assert victims(lender, borrower, *running, queue="lender", cpu=1) == {"b2": "InCohortReclamation"}
    assert victims(lender, borrower, *running, queue="lender", cpu=3) == {}


def test_a_borrower_preempts_below_the_threshold_only() -> None:
    policy = {
        "reclaimWithinCohort": "LowerPriority",
        "borrowWithinCohort": {"policy": "LowerPriority", "maxPriorityThreshold": 0},
    }
    asking = cluster_queue("asking", "0", cohortName="team", preemption=policy)
    others = [cluster_queue("other", "0", cohortName="team"), cluster_queue("idle", "2", cohortName="team")]
    for priority, expected in ((0, {"r": "InCohortReclaimWhileBorrowing"}), (1, {})):
        running = admitted(workload("r", "2", priority=priority), "other")
        assert victims(asking, *others, running, queue="asking", cpu=2, priority=9) == expected
