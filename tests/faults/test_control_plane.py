"""Controllers that die and come back, until the control plane is stopped."""

import asyncio
import random

import pytest

from sidings.api.feature_gates import NONE
from tests.faults.control_plane import FaultyControlPlane
from tests.faults.faulty_client import Crash, Weather

pytestmark = pytest.mark.looptime


class Dying:
    """Its one task dies as soon as it is to stop, or by itself after ``seconds``."""

    lives = 0

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    async def run(self) -> None:
        self.lives += 1
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.die())

    async def die(self) -> None:
        try:
            await asyncio.sleep(self.seconds)
        finally:
            raise Crash


def plane_of(controller: Dying, weather: Weather) -> FaultyControlPlane:
    return FaultyControlPlane(random.Random(1), weather, {}, NONE, {"dying": lambda *_: controller})


async def test_a_controller_that_died_lives_again() -> None:
    controller, weather = Dying(10), Weather()
    plane = asyncio.create_task(plane_of(controller, weather).run())
    await asyncio.sleep(100)
    assert controller.lives > 5
    assert weather.seen["crash"] >= controller.lives - 1
    plane.cancel()
    await asyncio.wait([plane])


async def test_a_crash_in_the_moment_of_the_end_is_the_end() -> None:
    controller = Dying(1000)
    plane = asyncio.create_task(plane_of(controller, Weather()).run())
    await asyncio.sleep(1)
    plane.cancel()
    await asyncio.wait([plane], timeout=100)
    assert plane.cancelled()
    assert controller.lives == 1
