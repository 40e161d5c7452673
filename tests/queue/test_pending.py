from sidings.api.objects import Object
from sidings.queue import workloads
from sidings.queue.pending import PendingQueue
from sidings.queue.requeueing import Requeue
from sidings.queue.waiting import Progress, Waiting
from tests.queue.objects import workload


def queue_with(*objects: Object, strategy: str = "BestEffortFIFO") -> PendingQueue:
    queue = PendingQueue("q", strategy)
    for obj in objects:
        queue.push(workloads.of_object(obj))
    return queue


def popped(queue: PendingQueue) -> Waiting:
    head = queue.pop()
    assert head is not None
    return head


def names(queue: PendingQueue) -> list[str]:
    found = []
    while (head := queue.pop()) is not None:
        found.append(head.workload.name)
    return found


def test_priority_then_age_then_uid() -> None:
    objects = [workload("b"), workload("a"), workload("old", age=5), workload("high", priority=1)]
    assert names(queue_with(*objects)) == ["high", "old", "a", "b"]


def test_a_discarded_workload_is_not_popped() -> None:
    queue = queue_with(workload("a"), workload("b"))
    queue.discard("default/a")
    assert names(queue) == ["b"]


def test_the_hopeless_wait_aside_until_a_flush() -> None:
    queue = queue_with(workload("big", "9", age=1), workload("small"))
    queue.requeue(popped(queue), Requeue.HOPELESS)
    assert (queue.active, queue.set_aside) == (1, 1)
    assert queue.is_set_aside("default/big")
    queue.flush(lambda workload: True)
    assert names(queue) == ["big", "small"]


def test_a_head_that_was_judged_before_a_flush_is_looked_at_again() -> None:
    """Quota came free while the refusal was written: nobody would tell of it a second time."""
    queue = queue_with(workload("big", "9", age=1), workload("alike", "9"))
    head = popped(queue)
    queue.flush(lambda workload: True)
    queue.requeue(head, Requeue.HOPELESS)
    assert names(queue) == ["big", "alike"]


def test_a_head_that_changed_meanwhile_stays_as_it_is_now() -> None:
    queue = queue_with(workload("w", "9"))
    head = popped(queue)
    queue.push(workloads.of_object(workload("w", "1")))
    queue.requeue(head, Requeue.FAILED_AFTER_NOMINATION)
    assert popped(queue).workload.pod_sets[0].requests == {"cpu": 1000}
    assert names(queue) == []


def test_a_flush_leaves_whom_the_queue_does_not_take() -> None:
    queue = queue_with(workload("foreign"))
    queue.requeue(popped(queue), Requeue.NAMESPACE_MISMATCH)
    queue.flush(lambda workload: workload.name != "foreign")
    assert names(queue) == []


def test_equal_shapes_go_aside_together_and_so_do_later_ones() -> None:
    queue = queue_with(workload("one", "9", age=2), workload("two", "9"), workload("other"))
    queue.requeue(popped(queue), Requeue.HOPELESS)
    queue.push(workloads.of_object(workload("three", "9")))
    assert all(queue.is_set_aside(f"default/{name}") for name in ("one", "two", "three"))
    assert names(queue) == ["other"]


def test_the_head_of_a_strict_queue_stays_the_head() -> None:
    queue = queue_with(workload("big", "9", age=1), workload("small"), strategy="StrictFIFO")
    queue.requeue(popped(queue), Requeue.HOPELESS)
    assert names(queue) == ["big", "small"]


def test_flavors_left_to_try_are_worth_another_look() -> None:
    queue = queue_with(workload("w"))
    head = popped(queue)
    head.progress = Progress({("main", "cpu"): 0}, cycle=1, freed=0)
    queue.requeue(head, Requeue.HOPELESS)
    assert names(queue) == ["w"]


def test_a_preemptor_is_first_until_it_leaves() -> None:
    queue = queue_with(workload("preemptor"))
    queue.requeue(popped(queue), Requeue.PENDING_PREEMPTION)
    queue.push(workloads.of_object(workload("vip", priority=9)))
    head = popped(queue)
    assert head.workload.name == "preemptor"
    queue.discard(head.workload.key)
    assert names(queue) == ["vip"]


def test_what_was_judged_stands_when_the_queue_is_built_anew_until_a_flush() -> None:
    before = queue_with(workload("hopeless", priority=5), workload("preemptor", priority=4), workload("w"))
    before.requeue(popped(before), Requeue.HOPELESS)
    before.requeue(popped(before), Requeue.PENDING_PREEMPTION)
    again = queue_with(workload("hopeless", priority=5), workload("preemptor", priority=4), workload("w", priority=9))
    again.take_over(before)
    again.push(workloads.of_object(workload("as hopeless", priority=5)))
    assert names(again) == ["preemptor", "w"]
    again.flush(lambda _: True)
    assert names(again) == ["as hopeless", "hopeless"]


def test_a_flush_asks_once_for_all_of_a_line() -> None:
    """Ten thousand equal workloads behind a refused one cost no more than two."""
    queue = queue_with(*(workload(f"w{number}", "9") for number in range(50)))
    queue.requeue(popped(queue), Requeue.HOPELESS)
    asked = []
    queue.flush(lambda workload: asked.append(workload.name) is None)
    assert len(asked) == 1
    assert queue.active == 50


def test_who_was_set_aside_unseen_is_told_once() -> None:
    queue = queue_with(workload("one", "9", age=2), workload("two", "9"), workload("other"))
    queue.requeue(popped(queue), Requeue.HOPELESS)
    queue.push(workloads.of_object(workload("three", "9")))
    queue.push(workloads.of_object(workload("gone", "9")))
    queue.discard("default/gone")
    assert [workload.name for workload in queue.bypassed()] == ["two", "three"]
    queue.flush(lambda _: True)
    queue.requeue(popped(queue), Requeue.HOPELESS)
    assert queue.bypassed() == []


def test_one_that_is_misconfigured_says_nothing_of_others() -> None:
    queue = queue_with(workload("wrong", age=1), workload("alike"))
    queue.requeue(popped(queue), Requeue.MISCONFIGURED)
    assert queue.bypassed() == []
    assert names(queue) == ["alike"]


def test_lines_of_several_namespaces_are_one_order() -> None:
    foreign = workload("foreign", age=1)
    foreign["metadata"]["namespace"] = "other"
    queue = queue_with(workload("old", age=2), foreign, workload("young"))
    assert names(queue) == ["old", "foreign", "young"]


def test_a_flush_leaves_a_line_of_a_namespace_that_the_queue_does_not_take() -> None:
    foreign = workload("foreign", "9")
    foreign["metadata"]["namespace"] = "other"
    queue = queue_with(workload("own", "9", age=1), foreign)
    queue.requeue(popped(queue), Requeue.HOPELESS)
    queue.flush(lambda workload: workload.namespace == "default")
    assert names(queue) == ["own"]
    queue.flush(lambda _: True)
    assert names(queue) == ["foreign"]


def test_the_least_burdened_local_queue_goes_first() -> None:
    queue = PendingQueue("q", "BestEffortFIFO", lambda workload: {"busy": 2.0, "idle": 1.0}[workload.local_queue])
    for obj in (workload("first", queue="busy", age=9), workload("b", queue="idle"), workload("a", queue="idle")):
        queue.push(workloads.of_object(obj))
    assert names(queue) == ["a", "b", "first"]
