"""What is said about a job while it changes; the following itself is tested against a running engine."""

import random

from sidings.answers.family import Family, families
from sidings.api import catalog
from sidings.api.objects import Object
from sidings.cli.console import Console
from sidings.cli.failure import FirstFailure
from sidings.cli.follow import MANY_PODS, Story, has_parts, leaders
from sidings.cli.progress import Progress
from sidings.client.local import LocalClient
from sidings.clock import ManualClock
from sidings.registry.registry import Registry
from sidings.store.store import Store
from tests.answers.objects import condition, ended, job, job_set, pod, running, train_job
from tests.cli.consoles import console, err


def family(*pods: Object, restarts: int = 0, failed: bool = False) -> Family:
    tj = train_job(condition("Failed", "FailedJobs")) if failed else train_job()
    js = job_set(tj, restarts=restarts, max_restarts=3)
    [found] = families(train_jobs=[tj], job_sets=[js], jobs=[job(js)], pods=pods)
    return found


def child() -> Object:
    return job(job_set(train_job()))


def nothing_failed() -> FirstFailure:
    registry = Registry(Store.in_memory(), catalog.builtin(), ManualClock(), random.Random(1))
    return FirstFailure(LocalClient(registry))


def told(*steps: Family) -> list[str]:
    it = console()
    with Progress(it) as progress:
        story = Story(it, progress, ManualClock())
        for step in steps:
            story.tell(step, nothing_failed())
    return err(it).splitlines()


def test_each_pod_has_a_line_for_each_of_its_states_and_no_fact_is_said_twice() -> None:
    bound = pod(child(), 0, node="node-1")
    runs = pod(child(), 0, "Running", node="node-1", containers=[running()])
    other = pod(child(), 1, "Running", node="node-2", containers=[running()])
    assert told(family(), family(bound), family(bound), family(runs), family(runs, other)) == [
        '* TrainJob "tj" Queued',
        "  node-0-0  Starting on node-1",
        '* TrainJob "tj" Starting',
        "  node-0-0  Running on node-1",
        "  node-0-1  Running on node-2",
        '* TrainJob "tj" Running',
    ]


def test_a_restart_is_told_with_the_failure_that_led_to_it() -> None:
    failed = pod(child(), 1, "Failed", node="n", containers=[ended(3)])
    assert told(family(failed), family(restarts=1))[-2:] == [
        "~ restart 1 of 3: node-0-1 exited with 3 (Error)",
        '* TrainJob "tj" Restarting(1/3)',
    ]


def test_many_pods_are_counted() -> None:
    pods = [pod(child(), rank, "Running", node="n", containers=[running()]) for rank in range(MANY_PODS)]
    waiting = pod(child(), MANY_PODS)
    assert f"pods: 1 Queued, {MANY_PODS} Running" in told(family(*pods, waiting))


def test_counts_that_are_lines_of_their_own_are_not_many() -> None:
    it, clock = console(), ManualClock()
    with Progress(it) as progress:
        story = Story(it, progress, clock)
        for count in range(MANY_PODS + 1, MANY_PODS + 9):
            story.tell(family(*(pod(child(), rank) for rank in range(count))), nothing_failed())
            clock.advance(0.5)
    assert err(it).count("pods: ") == 2


def test_the_end_has_its_own_line_elsewhere() -> None:
    assert told(family(failed=True)) == []


def test_a_lost_connection_is_told_once() -> None:
    it: Console = console()
    with Progress(it) as progress:
        story = Story(it, progress, ManualClock())
        story.lost()
        story.lost()
    assert err(it) == "connection lost, trying again; the job goes on\n"


def test_rank_0_of_every_part_leads() -> None:
    js = job_set(parts=(("data-prep", 1), ("training", 2)), name="p")
    prep, training = job(js, part="data-prep", pods=1), job(js, part="training")
    [found] = families(job_sets=[js], jobs=[prep, training], pods=[pod(prep, 0), pod(training, 0), pod(training, 1)])
    assert [p["metadata"]["name"] for p in leaders(found)] == ["tj-data-prep-0-0-aaaaa", "tj-training-0-0-aaaaa"]
    assert has_parts(found)
    assert not has_parts(family())
