"""Jobs and JobSets under every fault. ``FAULT_SEED=... pytest tests/faults`` replays a storm that broke a rule."""

import os
import random
import time

import pytest

from tests.faults.storm import weather

SECONDS = 20.0
EVENTS_A_STORM = 500
SOAK_EVENTS = 1_000_000


def seeds() -> random.Random:
    """Where seeds come from: ``FAULT_SEED`` first, if that is set; else other ones each time."""
    return random.Random(int(os.environ.get("FAULT_SEED") or "0") or None)


def first_seed(rng: random.Random) -> int:
    return int(os.environ.get("FAULT_SEED") or "0") or rng.randrange(1, 2**31)


def storms(events: int, seconds: float) -> int:
    """Storm after storm, each of another seed, until so many events happened or time is up; the number of events."""
    rng, end, happened = seeds(), time.monotonic() + seconds, 0
    seed = first_seed(rng)
    while happened < events and time.monotonic() < end:
        print(f"FAULT_SEED={seed}", flush=True)
        happened += weather(seed, min(EVENTS_A_STORM, events - happened)).happened.total()
        seed = rng.randrange(1, 2**31)
    print(f"{happened} events")
    return happened


@pytest.mark.slow
def test_no_rule_is_broken() -> None:
    assert storms(SOAK_EVENTS, SECONDS) > 0


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_no_rule_is_broken_by_a_million_events() -> None:
    assert storms(SOAK_EVENTS, float("inf")) == SOAK_EVENTS


def test_a_seed_repeats_itself() -> None:
    first, second = weather(7, 60), weather(7, 60)
    assert first.happened == second.happened
    assert first.faults == second.faults
    assert first.ledger.changes == second.ledger.changes
    assert first.ledger.changes > 60


def test_every_kind_of_fault_occurs() -> None:
    storm = weather(11, 500)
    assert set(storm.faults) == {"conflict", "answer_lost", "slow", "late", "twice", "broken", "crash"}
    assert len(storm.happened) >= 15
