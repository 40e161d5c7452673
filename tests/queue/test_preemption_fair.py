from typing import Any

from sidings.queue import preemption_fair, snapshot, workloads
from sidings.queue.preemption import Config, Preemptor
from tests.queue.objects import admitted, cluster_queue, workload

CPU = ("default", "cpu")
POLICY = {"withinClusterQueue": "LowerPriority", "reclaimWithinCohort": "Any"}


def victims(running: dict[str, int], *, cpu: int, strategies: tuple[str, ...] = Config.strategies) -> dict[str, str]:
    """Queues a, b and c own 3 cpu each and run so many workloads of 1; a asks for ``cpu``."""
    objects: list[dict[str, Any]] = [cluster_queue(name, "3", cohortName="team", preemption=POLICY) for name in "abc"]
    state = snapshot.build(objects)
    for queue, count in running.items():
        for index in range(count):
            state.add(workloads.of_object(admitted(workload(f"{queue}{index}"), queue, since=index)))
    preemptor = Preemptor(workloads.of_object(workload("asking")), state.queues["a"], {CPU}, {CPU: cpu * 1000})
    found = preemption_fair.victims(state, preemptor, Config(True, strategies))
    assert sum(len(queue.workloads) for queue in state.queues.values()) == sum(running.values()), "all are back"
    return {victim.workload.name: victim.reason for victim in found}


def test_within_its_own_quota_a_queue_reclaims_from_the_largest_share() -> None:
    assert victims({"b": 5, "c": 4}, cpu=1) == {"b4": "InCohortReclamation"}


def test_beyond_it_shares_become_even() -> None:
    assert set(victims({"a": 3, "b": 6}, cpu=1).values()) == {"InCohortFairSharing"}


def test_but_not_uneven_the_other_way() -> None:
    assert victims({"a": 4, "b": 5}, cpu=1) == {}


def test_nobody_borrows_nobody_goes() -> None:
    assert victims({"a": 3, "b": 3, "c": 3}, cpu=1) == {}
