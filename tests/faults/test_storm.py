"""Jobs of every kind under every fault. ``STORM_SEED=... pytest tests/faults`` begins with the storm that broke a rule.

Every run draws other seeds and prints them. An event is what is done to the system: an act of users or nodes that found
something to act upon, a write that met a conflict, an answer that was lost, a watch event that came late or twice, a
watch that broke, a controller that died. What controllers do about it, slow answers and acts in vain do not count.
"""

import itertools
import logging
import multiprocessing
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path

import pytest

from sidings.api.objects import Object
from sidings.api.resources import JOBS, Resource
from sidings.client.interface import Client
from tests.faults.ledger import Violation
from tests.faults.planted_bugs import Lie
from tests.faults.storm import Storm, weather

ROOT = Path(__file__).parents[2]
EVENTS = 50_000
SOAK_EVENTS = 1_000_000
ACTS_A_STORM = 500


def seeds() -> Iterator[int]:
    """``STORM_SEED`` first, if that is set; then others, each time the same ones only where ``FAULT_SEED`` is set."""
    if replayed := int(os.environ.get("STORM_SEED") or "0"):
        yield replayed
    rng = random.Random(os.environ.get("FAULT_SEED") or random.SystemRandom().random())
    while True:
        yield rng.randrange(1, 2**31)


def events_of(storm: Storm) -> int:
    return storm.happened.total() + storm.faults.total() - storm.faults["slow"]


def one_storm(seed: int) -> int:
    """Its number of events; runs in a process of its own, where what controllers tell of faults is of no interest."""
    logging.disable(logging.CRITICAL)
    return events_of(weather(seed, ACTS_A_STORM))


def storms(events: int) -> int:
    """Storm after storm, on all cores, until so many events have happened; the number of events."""
    source, happened = seeds(), 0
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores, mp_context=multiprocessing.get_context("spawn")) as pool:
        running: set[Future[int]] = set()
        while happened < events:
            while len(running) < cores:
                seed = next(source)
                print(f"STORM_SEED={seed} after {happened} events", flush=True)
                running.add(pool.submit(one_storm, seed))
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            happened += sum(future.result() for future in ended)
        happened += sum(future.result() for future in running)
    print(f"{happened} events")
    return happened


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_no_rule_is_broken() -> None:
    assert storms(EVENTS) >= EVENTS


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_no_rule_is_broken_by_a_million_events() -> None:
    assert storms(SOAK_EVENTS) >= SOAK_EVENTS


def test_a_seed_repeats_itself() -> None:
    first, second = weather(7, 60), weather(7, 60)
    assert first.happened == second.happened
    assert first.faults == second.faults
    assert first.ledger.changes == second.ledger.changes
    assert first.ledger.changes > 60


ONE_STORM = """
from tests.faults.storm import weather
storm = weather(7, 120)
print(sorted(storm.happened.items()), sorted(storm.faults.items()), storm.ledger.changes)
"""


def test_a_seed_repeats_itself_in_other_processes() -> None:
    """Nothing that the seed does not decide has a say, above all not the order of sets of strings."""
    told = set()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", ONE_STORM]
        told.add(subprocess.run(command, env=environment, cwd=ROOT, check=True, capture_output=True).stdout)
    assert len(told) == 1


def test_every_kind_of_fault_and_act_occurs() -> None:
    storm = weather(11, 500)
    assert set(storm.faults) == {"conflict", "answer_lost", "slow", "late", "twice", "broken", "crash"}
    assert sum(times > 0 for times in storm.happened.values()) >= 21


class NeverRests(Lie):
    """Each look at a Job changes it, and each change is looked at."""

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self._looks = itertools.count()

    async def get(self, resource: Resource, name: str, namespace: str = "") -> Object:
        if resource == JOBS:
            body = {"metadata": {"annotations": {"looks": str(next(self._looks))}}}
            await self.client.patch(resource, name, body, namespace=namespace)
        found: Object = await self.client.get(resource, name, namespace)
        return found


def test_controllers_that_never_rest_end_a_storm() -> None:
    """Virtual time would stand, and the storm would tell nothing."""
    with pytest.raises(Violation, match="no rest"):
        weather(7, 60, {"job": NeverRests})
