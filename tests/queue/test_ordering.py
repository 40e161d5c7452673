from dataclasses import dataclass

from sidings.queue import ordering, snapshot, workloads
from sidings.queue.amounts import Usage
from sidings.queue.snapshot import ClusterQueue, Snapshot
from sidings.queue.workloads import Workload
from tests.queue.objects import cluster_queue, cohort, workload


@dataclass
class Contender:
    workload: Workload
    queue: ClusterQueue
    usage: Usage
    borrowing: int = 0


def contender(
    state: Snapshot, queue: str, cpu: int, *, borrowing: int = 0, priority: int = 0, age: int = 0
) -> Contender:
    view = workloads.of_object(workload(f"of-{queue}", priority=priority, age=age))
    return Contender(view, state.queues[queue], {("default", "cpu"): cpu * 1000}, borrowing)


def three() -> Snapshot:
    return snapshot.build([cluster_queue(name, "2", cohortName="team") for name in "abc"])


def names(contenders: list[Contender]) -> list[str]:
    return [one.queue.name for one in contenders]


def test_borrowing_then_priority_then_age() -> None:
    state = three()
    a = contender(state, "a", 1, borrowing=1, priority=9)
    b = contender(state, "b", 1)
    c = contender(state, "c", 1, age=5)
    assert names(ordering.classical([a, b, c])) == ["c", "b", "a"]


def test_the_smallest_share_wins() -> None:
    state = three()
    large, small = contender(state, "a", 5, priority=9), contender(state, "b", 3)
    assert names(list(ordering.fair(state, [large, small]))) == ["b", "a"]


def test_whoever_does_not_borrow_goes_before_all_others() -> None:
    state = three()
    borrower, owner = contender(state, "a", 3, age=9), contender(state, "b", 2)
    assert names(list(ordering.fair(state, [borrower, owner]))) == ["b", "a"]


def test_what_a_winner_takes_counts_for_the_next() -> None:
    cohorts = [cohort("left", "root"), cohort("right", "root")]
    queues = [
        cluster_queue(name, "2", cohortName=team) for name, team in (("a", "left"), ("b", "left"), ("c", "right"))
    ]
    state = snapshot.build([*cohorts, *queues])
    rounds = ordering.fair(state, [contender(state, name, 3, age=age) for name, age in (("a", 2), ("b", 1), ("c", 0))])
    order = []
    for winner in rounds:
        order.append(winner.queue.name)
        state.use(winner.queue, winner.usage)
    assert order == ["a", "c", "b"], "with what a took, the left cohort borrows more than the right one would"
