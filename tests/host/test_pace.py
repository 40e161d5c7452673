import asyncio

import pytest

from sidings.clock import LoopClock
from sidings.host.pace import BUSY_REQUESTS, LOOK_SECONDS, STEP_SECONDS, Pace

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


class Server:
    in_flight = 0


async def begun(pace: Pace, count: int) -> list[float]:
    """When each of ``count`` workers had its turn."""
    clock, moments = LoopClock(), []

    async def one() -> None:
        await pace.turn()
        moments.append(clock.monotonic())

    start = clock.monotonic()
    await asyncio.gather(*(one() for _ in range(count)))
    return [moment - start for moment in moments]


async def test_nobody_waits_while_no_client_does() -> None:
    assert await begun(Pace(lambda: BUSY_REQUESTS - 1, LoopClock()), 50) == [0] * 50


async def test_while_clients_wait_one_begins_each_step() -> None:
    moments = await begun(Pace(lambda: BUSY_REQUESTS, LoopClock()), 10)
    assert moments == pytest.approx([number * STEP_SECONDS for number in range(10)], abs=0.005)


async def test_all_begin_when_the_burst_is_over() -> None:
    server = Server()
    server.in_flight = BUSY_REQUESTS
    pace = Pace(lambda: server.in_flight, LoopClock())
    waiting = asyncio.create_task(begun(pace, 500))
    await asyncio.sleep(0.1)
    server.in_flight = 0
    assert max(await waiting) <= 0.1 + LOOK_SECONDS + 0.005
