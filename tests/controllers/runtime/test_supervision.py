import asyncio
import logging

import pytest

from sidings.clock import LoopClock
from sidings.controllers.runtime import supervision
from sidings.controllers.runtime.supervision import LONGEST_DELAY, keep_running

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Fragile:
    """Fails after ``life`` seconds each time, and notes when it began."""

    def __init__(self, life: float) -> None:
        self.life = life
        self.begun: list[float] = []

    async def run(self) -> None:
        self.begun.append(asyncio.get_running_loop().time())
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._fail())

    async def _fail(self) -> None:
        await asyncio.sleep(self.life)
        raise KeyError("spec")


async def test_it_is_run_again_less_and_less_often(caplog: pytest.LogCaptureFixture) -> None:
    fragile = Fragile(life=0)
    with caplog.at_level(logging.ERROR):
        task = asyncio.create_task(keep_running("queues", fragile.run, LoopClock()))
        await asyncio.sleep(200)
    pauses = [round(after - before) for before, after in zip(fragile.begun, fragile.begun[1:], strict=False)]
    assert pauses == [1, 2, 4, 8, 16, 32, LONGEST_DELAY, LONGEST_DELAY]
    assert "queues failed unexpectedly, again in 1 s" in caplog.text
    assert "KeyError: 'spec'" in caplog.text
    task.cancel()


async def test_who_ran_for_long_comes_back_soon(caplog: pytest.LogCaptureFixture) -> None:
    fragile = Fragile(life=supervision.STABLE_SECONDS + 1)
    task = asyncio.create_task(keep_running("queues", fragile.run, LoopClock()))
    await asyncio.sleep(5 * fragile.life)
    assert [round(begun - number * fragile.life) for number, begun in enumerate(fragile.begun)] == [0, 1, 2, 3, 4]
    assert {record.getMessage() for record in caplog.records} == {"queues failed unexpectedly, again in 1 s"}
    task.cancel()


async def test_cancelling_ends_it() -> None:
    fragile = Fragile(life=1000)
    task = asyncio.create_task(keep_running("queues", fragile.run, LoopClock()))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
