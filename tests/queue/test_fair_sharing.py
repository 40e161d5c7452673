import math

from sidings.queue import snapshot
from sidings.queue.fair_sharing import Share, share
from tests.queue.objects import cluster_queue

CPU = ("default", "cpu")


def test_a_share_is_what_is_borrowed_of_what_could_be_lent() -> None:
    state = snapshot.build([cluster_queue(name, "2", cohortName="team") for name in "abcd"])
    queue = state.queues["a"]
    queue.add(CPU, 2000)
    assert share(queue).value == 0
    queue.add(CPU, 2000)
    assert share(queue).value == 1000 * 2 / 8


def test_the_weight_divides() -> None:
    weighted = cluster_queue("a", "0", cohortName="team", fairSharing={"weight": "2"})
    state = snapshot.build([weighted, cluster_queue("b", "4", cohortName="team")])
    state.queues["a"].add(CPU, 1000)
    assert share(state.queues["a"]).value == 125


def test_without_weight_borrowing_is_infinite_and_compared_unweighted() -> None:
    small, large = Share(10, 0), Share(20, 0)
    assert math.isinf(small.value)
    assert Share(999, 1) < small < large
    assert Share(0, 0) == Share(0, 5)
