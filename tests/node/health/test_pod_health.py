"""Probes over virtual time, put to a container whose answers the test sets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence

import pytest

from sidings.clock import LoopClock
from sidings.node.health.pod_health import Failed, PodHealth
from sidings.node.health.probe import Kind
from sidings.node.sandbox.spec import Attempt
from tests.node.pods import container, pod

pytestmark = pytest.mark.looptime


class Commands:
    """``Reach`` whose commands end with the code that is set for them, at once."""

    def __init__(self) -> None:
        self.codes: dict[str, int] = {}
        self.asked: list[tuple[str, float]] = []

    async def new_socket(self) -> socket.socket:
        raise AssertionError("only commands are asked here")

    async def execute(self, container: str, argv: Sequence[str]) -> tuple[int, bytes]:
        self.asked.append((argv[0], asyncio.get_running_loop().time()))
        return self.codes.get(argv[0], 0), b"because"

    def times(self, name: str) -> list[float]:
        return [moment for asked, moment in self.asked if asked == name]


class Bench:
    """One container ``c`` that has run since now, and what was said about it."""

    def __init__(self) -> None:
        self.commands = Commands()
        self.clock = LoopClock()
        self.notes: list[str] = []
        self.changes = 0
        self.health = PodHealth(self.clock, self.commands, lambda reason, text: self.notes.append(text), self._changed)

    def _changed(self) -> None:
        self.changes += 1

    def run(self, number: int = 0, status: dict[str, object] | None = None, **fields: object) -> None:
        shown = {
            "containerStatuses": [{"name": "c", "restartCount": number, "state": {"running": {}}, **(status or {})}]
        }
        made = pod(container(**fields)) | {"status": shown if status else {}}
        self.health.observe(made, {"c": [Attempt(number, self.clock.now().timestamp())]}, "10.0.0.1")


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    made = Bench()
    yield made
    made.health.close()


def probe(name: str, **fields: object) -> dict[str, object]:
    return {"exec": {"command": [name]}, "periodSeconds": 10, **fields}


async def test_without_probes_a_running_container_is_started_and_ready(bench: Bench) -> None:
    bench.run()
    assert bench.health.is_started("c") and bench.health.is_ready("c") and not bench.health.failed()
    assert not bench.health.is_ready("unknown")


async def test_readiness_is_asked_after_its_delay_and_goes_both_ways(bench: Bench) -> None:
    bench.run(readinessProbe=probe("r", initialDelaySeconds=5, failureThreshold=2))
    await asyncio.sleep(4)
    assert not bench.health.is_ready("c") and bench.commands.asked == []
    await asyncio.sleep(2)
    assert bench.health.is_ready("c") and bench.changes == 1
    bench.commands.codes["r"] = 1
    await asyncio.sleep(10)
    assert bench.health.is_ready("c") and bench.notes == ["Readiness probe failed: because"]
    await asyncio.sleep(10)
    assert not bench.health.is_ready("c") and bench.changes == 2 and bench.health.failed() == {}
    bench.commands.codes["r"] = 0
    await asyncio.sleep(10)
    assert bench.health.is_ready("c")


async def test_liveness_fails_after_its_threshold_and_is_not_asked_again_until_the_next_attempt(bench: Bench) -> None:
    bench.commands.codes["l"] = 1
    fields = {"livenessProbe": probe("l", terminationGracePeriodSeconds=7)}
    bench.run(**fields)
    await asyncio.sleep(100)
    assert bench.commands.times("l") == pytest.approx([0, 10, 20], abs=0.1)
    assert bench.health.failed() == {"c": Failed(0, Kind.LIVENESS, 7)}
    bench.run(1, **fields)
    assert bench.health.failed() == {}
    await asyncio.sleep(1)
    assert len(bench.commands.times("l")) == 4


async def test_the_others_wait_for_startup(bench: Bench) -> None:
    bench.commands.codes["s"] = 1
    bench.run(startupProbe=probe("s", failureThreshold=30), livenessProbe=probe("l"), readinessProbe=probe("r"))
    await asyncio.sleep(45)
    assert not bench.health.is_started("c") and {name for name, _ in bench.commands.asked} == {"s"}
    bench.commands.codes["s"] = 0
    await asyncio.sleep(6)
    assert bench.health.is_started("c") and bench.health.is_ready("c")
    await asyncio.sleep(60)
    assert len(bench.commands.times("s")) == 6, "startup is not asked again"
    assert bench.commands.times("l")


async def test_a_container_that_does_not_start_in_time_has_failed(bench: Bench) -> None:
    bench.commands.codes["s"] = 1
    bench.run(startupProbe=probe("s", failureThreshold=2), livenessProbe=probe("l"))
    await asyncio.sleep(11)
    assert bench.health.failed() == {"c": Failed(0, Kind.STARTUP, None)}


async def test_a_pod_that_is_stopping_is_asked_for_readiness_only(bench: Bench) -> None:
    bench.run(livenessProbe=probe("l"), readinessProbe=probe("r"))
    await asyncio.sleep(1)
    bench.health.stopping()
    bench.commands.codes |= {"l": 1, "r": 1}
    await asyncio.sleep(60)
    assert bench.health.failed() == {} and not bench.health.is_ready("c")


async def test_an_agent_that_comes_back_forgets_nothing(bench: Bench) -> None:
    bench.commands.codes["s"] = bench.commands.codes["r"] = 1
    bench.run(status={"started": True, "ready": True}, startupProbe=probe("s"), readinessProbe=probe("r"))
    await asyncio.sleep(1)
    assert bench.health.is_started("c") and bench.health.is_ready("c") and not bench.commands.times("s")


async def test_a_container_that_ended_is_asked_no_more(bench: Bench) -> None:
    bench.run(livenessProbe=probe("l"))
    await asyncio.sleep(1)
    bench.health.observe(pod(), {"c": [Attempt(0, 0, 1, 0)]}, "10.0.0.1")
    asked = len(bench.commands.asked)
    await asyncio.sleep(60)
    assert len(bench.commands.asked) == asked and not bench.health.is_started("c")
