import os
import subprocess
from collections.abc import Callable

import pytest

from sidings.clock import ManualClock
from sidings.node import usage


class Busy(ManualClock):
    """A clock on which a second passes while ``work`` is done."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__()
        self._work = work

    async def sleep(self, seconds: float) -> None:
        self._work()
        self.advance(seconds)


@pytest.fixture
def child() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "60"])


def _burn() -> None:
    begun = os.times()
    while (now := os.times()).user + now.system - begun.user - begun.system < 0.2:
        pass


async def test_cores_and_memory_of_this_process() -> None:
    used = (await usage.measure({"uid": {"c": os.getpid()}}, Busy(_burn)))["uid"]["c"]
    assert 0.1 < used.cpu_cores < 0.5
    assert used.memory_bytes > 10_000_000


async def test_a_container_that_ends_meanwhile_is_left_out(child: subprocess.Popen[bytes]) -> None:
    def end() -> None:
        child.kill()
        child.wait()

    assert await usage.measure({"uid": {"c": child.pid}}, Busy(end)) == {}


async def test_nothing_runs() -> None:
    assert await usage.measure({}, ManualClock()) == {}
    assert await usage.measure({"uid": {}}, ManualClock()) == {}
