"""The engine is killed at random moments while clients write and watch: nothing that was acknowledged is lost."""

from __future__ import annotations

import asyncio
import os
import random
import signal

import pytest

from sidings.client import kubeconfig
from tests.e2e.machine import Machine
from tests.e2e.write_load import Watcher, Writer, stored, write_until_it_dies
from tests.node.health.places import closed_port

pytestmark = pytest.mark.e2e

WRITERS = 6
WATCHERS = 2
CATCH_UP_SECONDS = 30


async def kill_and_look(machine: Machine, kills: int) -> list[Watcher]:
    """``FAULT_SEED`` in the environment repeats a run's choices."""
    seed = int(os.environ.get("FAULT_SEED") or random.randrange(10**6))
    rng = random.Random(seed)
    writers = [Writer(f"w{number}", random.Random(rng.random())) for number in range(WRITERS)]
    watchers = [Watcher() for _ in range(WATCHERS)]
    # A port of its own: the usual one may be another engine's as soon as this one is killed.
    await asyncio.to_thread(machine.ok, "up", "--nodes", "0", "--port", str(closed_port()))
    config = kubeconfig.load([machine.home / "kubeconfig"])
    followers = [asyncio.create_task(watcher.run(config)) for watcher in watchers]
    highest = 0
    for kill in range(kills):
        writing = asyncio.create_task(write_until_it_dies(writers, config))
        before = sum(writer.writes for writer in writers)
        while True:
            await asyncio.sleep(rng.uniform(0.05, 0.8))
            if sum(writer.writes for writer in writers) > before:  # at once, unless the machine is slow
                break
        os.kill(machine.engine_pid(), signal.SIGKILL)
        await writing
        await asyncio.to_thread(machine.ok, "up")
        assert kubeconfig.load([machine.home / "kubeconfig"]).server == config.server, "clients find it where it was"
        found, version = await stored(config)
        assert version >= max(highest, *(writer.last_version for writer in writers)), f"kill {kill}, seed {seed}"
        highest = version
        for writer in writers:
            writer.check(found)
    found, version = await stored(config)
    async with asyncio.timeout(CATCH_UP_SECONDS):
        while any(watcher.view != found for watcher in watchers):
            assert not any(follower.done() for follower in followers), "a watcher met what must not be"
            await asyncio.sleep(0.05)
    for follower in followers:
        follower.cancel()
    await asyncio.gather(*followers, return_exceptions=True)
    writes, events = sum(writer.writes for writer in writers), sum(watcher.events for watcher in watchers)
    print(f"seed {seed}: {kills} kills, {writes} writes acknowledged, {events} events seen, versions up to {version}")
    return watchers


async def test_nothing_acknowledged_is_lost(machine: Machine) -> None:
    watchers = await kill_and_look(machine, 5)
    assert all(watcher.events for watcher in watchers)


@pytest.mark.soak
@pytest.mark.timeout(7200)
async def test_nothing_acknowledged_is_lost_in_two_hundred_kills(machine: Machine) -> None:
    await kill_and_look(machine, 200)
