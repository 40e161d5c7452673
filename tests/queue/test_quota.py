import pytest

from sidings.queue import snapshot
from sidings.queue.snapshot import Snapshot
from tests.queue.objects import cluster_queue, cohort

CPU = ("default", "cpu")


def tree(*objects: dict) -> Snapshot:  # type: ignore[type-arg]
    return snapshot.build(objects)


def test_a_queue_alone_has_its_nominal_quota() -> None:
    queue = tree(cluster_queue("q", "4")).queues["q"]
    queue.add(CPU, 1500)
    assert (queue.available(CPU), queue.potential(CPU)) == (2500, 4000)


def test_a_cohort_shares_what_is_unused() -> None:
    state = tree(*(cluster_queue(name, "5", cohortName="team") for name in "ab"))
    state.queues["b"].add(CPU, 2000)
    assert (state.queues["a"].available(CPU), state.queues["a"].potential(CPU)) == (8000, 10000)


def test_lending_limit_keeps_quota_back_and_is_used_first() -> None:
    state = tree(
        cluster_queue("a", "5", cohortName="team"),
        cluster_queue("b", {"default": {"nominalQuota": "5", "lendingLimit": "2"}}, cohortName="team"),
    )
    a, b = state.queues["a"], state.queues["b"]
    assert a.potential(CPU) == 7000
    b.add(CPU, 3000)
    assert a.available(CPU) == 7000, "the part that is not lent is used first"
    b.add(CPU, 1000)
    assert a.available(CPU) == 6000


def test_borrowing_limit_caps() -> None:
    limited = {"default": {"nominalQuota": "5", "borrowingLimit": "2"}}
    state = tree(cluster_queue("a", limited, cohortName="team"), cluster_queue("b", "5", cohortName="team"))
    assert state.queues["a"].available(CPU) == state.queues["a"].potential(CPU) == 7000
    state.queues["a"].add(CPU, 6000)
    assert state.queues["a"].available(CPU) == 1000


def test_quota_of_a_parent_reaches_down() -> None:
    state = tree(
        cohort("root", cpu={"default": "3"}), cohort("team", "root"), cluster_queue("q", "1", cohortName="team")
    )
    assert state.queues["q"].potential(CPU) == 4000
    assert state.queues["q"].path() == "/root/team/q"


@pytest.mark.parametrize("amounts", [[1000], [4000, 3000], [6000, 1000, 2000]])
def test_what_is_added_can_be_removed_in_any_order(amounts: list[int]) -> None:
    limited = {"default": {"nominalQuota": "5", "lendingLimit": "2"}}
    state = tree(cluster_queue("a", limited, cohortName="team"), cluster_queue("b", "5", cohortName="team"))
    queue = state.queues["a"]
    for amount in amounts:
        queue.add(CPU, amount)
    for amount in amounts:
        queue.remove(CPU, amount)
    assert queue.parent is not None
    assert (queue.used(CPU), queue.parent.used(CPU)) == (0, 0)
