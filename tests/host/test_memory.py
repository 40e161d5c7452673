import asyncio
import gc

import pytest

from sidings.clock import LoopClock
from sidings.host import memory

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Requests:
    in_flight = 0
    begun = 0


class World:
    """A sweep on virtual time, and when it looked."""

    def __init__(self) -> None:
        self.requests = Requests()
        self.looks: list[float] = []

    async def __aenter__(self) -> "World":
        self._task = asyncio.create_task(memory.sweep(self.requests, LoopClock(), self._look))
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._task.cancel()

    def _look(self) -> None:
        self.looks.append(asyncio.get_running_loop().time())

    async def ask(self, seconds: float, every: float = 1.0) -> None:
        for _ in range(int(seconds / every)):
            self.requests.begun += 1
            await asyncio.sleep(every)


async def test_nothing_is_looked_at_while_nothing_happens() -> None:
    async with World() as world:
        await asyncio.sleep(10_000)
        assert world.looks == []


async def test_after_a_burst_the_first_quiet_moment_is_taken() -> None:
    async with World() as world:
        await world.ask(300)
        assert world.looks == []
        await asyncio.sleep(1000)
        assert len(world.looks) == 1
        assert 300 < world.looks[0] <= 300 + 2 * memory.LOOK_SECONDS


async def test_few_requests_are_no_reason_to_look_often() -> None:
    async with World() as world:
        await world.ask(3600, every=15)
        assert all(
            later - earlier >= memory.EVERY_SECONDS
            for earlier, later in zip(world.looks, world.looks[1:], strict=False)
        )
        assert len(world.looks) > 30


async def test_under_load_without_an_end_it_is_done_all_the_same() -> None:
    async with World() as world:
        await world.ask(2 * memory.LONGEST_SECONDS + 100)
        assert len(world.looks) == 2


async def test_only_the_young_are_looked_at_in_between() -> None:
    before = gc.get_threshold()
    try:
        memory.settle()
        assert gc.get_threshold()[0] == memory.YOUNG
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
