from sidings.queue import borrowing, snapshot
from tests.queue.objects import cluster_queue, cohort

CPU = ("default", "cpu")


def test_the_level_is_the_height_of_the_lowest_cohort_that_can_hold_it() -> None:
    state = snapshot.build(
        [
            cohort("root", cpu={"default": "9"}),
            cohort("team", "root"),
            cluster_queue("a", "2", cohortName="team"),
            cluster_queue("b", "2", cohortName="team"),
        ]
    )
    queue = state.queues["a"]
    assert borrowing.level(queue, CPU, 2000) == (0, True)
    assert borrowing.level(queue, CPU, 4000) == (1, True)
    assert borrowing.level(queue, CPU, 5000) == (2, False)
    assert borrowing.level(queue, CPU, 99000) == (2, False)


def test_without_a_cohort_nothing_is_borrowed() -> None:
    queue = snapshot.build([cluster_queue("q", "2")]).queues["q"]
    assert borrowing.level(queue, CPU, 5000) == (0, False)
