import asyncio
import random

import pytest

from sidings.api.objects import Key
from sidings.clock import LoopClock
from sidings.controllers.runtime.metrics import ControllerMetrics
from sidings.controllers.runtime.queue import WorkQueue

A, B = Key("ns", "a"), Key("ns", "b")

pytestmark = pytest.mark.looptime


def make_queue(**delays: float) -> WorkQueue:
    return WorkQueue(LoopClock(), random.Random(1), **delays)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_key_is_in_the_queue_once() -> None:
    queue = make_queue()
    queue.add(A)
    queue.add(B)
    queue.add(A)
    assert len(queue) == 2
    assert [await queue.get(), await queue.get()] == [A, B]


async def test_what_is_observed_of_keys() -> None:
    queue, metrics = make_queue(), ControllerMetrics()
    queue.figures = metrics.of("job")
    queue.add(A)
    queue.add(A)
    await asyncio.sleep(2)
    await queue.get()
    await asyncio.sleep(3)
    queue.retry(A)
    queue.done(A)
    await queue.get()
    queue.done(A)
    lines = metrics.lines({"job": len(queue)})
    for wanted in (
        'workqueue_depth{name="job"} 0',
        'workqueue_adds_total{name="job"} 2',
        'workqueue_retries_total{name="job"} 1',
        'workqueue_queue_duration_seconds_bucket{name="job",le="1"} 1',
        'workqueue_queue_duration_seconds_bucket{name="job",le="10"} 2',
        'controller_runtime_reconcile_total{controller="job",result="error"} 1',
        'controller_runtime_reconcile_total{controller="job",result="success"} 1',
        'controller_runtime_reconcile_time_seconds_count{controller="job"} 2',
        'controller_runtime_reconcile_time_seconds_bucket{controller="job",le="2.5"} 1',
    ):
        assert wanted in lines


async def test_a_key_that_comes_while_it_is_worked_on_comes_back_afterwards() -> None:
    queue = make_queue()
    queue.add(A)
    await queue.get()
    queue.add(A)
    assert len(queue) == 0
    queue.done(A)
    assert await queue.get() == A
    queue.done(A)
    assert queue.idle


async def test_get_waits_for_a_key() -> None:
    queue = make_queue()
    getting = asyncio.create_task(queue.get())
    await asyncio.sleep(5)
    assert not getting.done()
    queue.add(A)
    assert await getting == A


async def test_a_delayed_key_comes_when_it_is_due() -> None:
    queue = make_queue()
    queue.add_after(A, 30)
    queue.add_after(B, 10)
    assert await queue.get() == B
    assert now() == pytest.approx(10)
    assert await queue.get() == A
    assert now() == pytest.approx(30)


async def test_the_earlier_wish_for_a_key_wins() -> None:
    queue = make_queue()
    queue.add_after(A, 5)
    queue.add_after(A, 60)
    await queue.get()
    assert now() == pytest.approx(5)
    queue.done(A)
    queue.add_after(A, 60)
    queue.add_after(A, 7)
    await queue.get()
    assert now() == pytest.approx(12)
    queue.done(A)
    getting = asyncio.create_task(queue.get())
    await asyncio.sleep(600)
    assert not getting.done(), "the wish that was overtaken must not come as well"
    getting.cancel()


async def test_failures_come_back_later_and_later_until_forgotten() -> None:
    queue = make_queue(base_delay=1, max_delay=10)
    delays = [queue.retry(A) for _ in range(6)]
    for delay, base in zip(delays, (1, 2, 4, 8, 10, 10), strict=True):
        assert base <= delay <= base * 1.1
    queue.forget(A)
    assert queue.retry(A) < 1.2


async def test_two_getters_get_two_keys() -> None:
    queue = make_queue()
    getting = [asyncio.create_task(queue.get()) for _ in range(2)]
    await asyncio.sleep(1)
    queue.add(A)
    queue.add(B)
    assert {await task for task in getting} == {A, B}
