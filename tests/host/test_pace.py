import asyncio
from dataclasses import dataclass

import pytest

from sidings.clock import LoopClock
from sidings.host.pace import BUSY_RATE, BUSY_REQUESTS, LOOK_SECONDS, STEP_SECONDS, WINDOW_SECONDS, Pace

pytestmark = [pytest.mark.asyncio, pytest.mark.looptime]


@dataclass
class Server:
    in_flight: int = 0
    begun: int = 0

    async def serve(self, rate: float, seconds: float) -> None:
        """One request after the other."""
        for _ in range(int(rate * seconds)):
            self.begun += 1
            await asyncio.sleep(1 / rate)


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
    assert await begun(Pace(Server(BUSY_REQUESTS - 1), LoopClock()), 50) == [0] * 50


async def test_while_clients_wait_one_begins_each_step() -> None:
    moments = await begun(Pace(Server(BUSY_REQUESTS), LoopClock()), 10)
    assert moments == pytest.approx([number * STEP_SECONDS for number in range(10)], abs=0.005)


async def test_all_begin_when_the_burst_is_over() -> None:
    server = Server(BUSY_REQUESTS)
    pace = Pace(server, LoopClock())
    waiting = asyncio.create_task(begun(pace, 500))
    await asyncio.sleep(0.1)
    server.in_flight = 0
    assert max(await waiting) <= 0.1 + LOOK_SECONDS + 0.005


@pytest.mark.parametrize(("rate", "waits"), [(BUSY_RATE * 2, True), (BUSY_RATE / 2, False)])
async def test_requests_one_after_the_other_count_by_their_rate(rate: float, waits: bool) -> None:
    server = Server()
    pace = Pace(server, LoopClock())
    await server.serve(rate, 1)
    await pace.turn()
    await server.serve(rate, WINDOW_SECONDS)
    serving = asyncio.create_task(server.serve(rate, 2))
    assert (max(await begun(pace, 10)) > 5 * STEP_SECONDS) is waits
    await serving
    await asyncio.sleep(WINDOW_SECONDS)
    await pace.turn()
    assert await begun(pace, 50) == [0] * 50
