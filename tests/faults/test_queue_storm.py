"""Queues under every fault: the rules of ``queue_rules`` hold at every change, those of ``queue_rest`` at rest.

``STORM_SEED=... pytest tests/faults/test_queue_storm.py`` begins with the storm that broke a rule.
"""

from __future__ import annotations

import itertools
import logging

import pytest

from tests.faults.ledger import Violation
from tests.faults.planted_bugs import PlantedBug
from tests.faults.queue_planted_bugs import BUGS
from tests.faults.queue_storm import QueueStorm
from tests.faults.storm import Storm, weather
from tests.faults.test_storm import seeds

ACTS = 40
SOAK_ACTS = 250
SOAK_EVENTS = 200_000
SEEDS = (3, 1, 2, 4, 5, 6, 7, 8, 9, 10)
BUG_ACTS = 120
SOON_SEEN = ("CountsQuotaTwice", "StartsAtOnce")
"""Bugs that show in the first acts; the others need storms that take their time."""


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    """Controllers tell at length how faults hurt them."""
    caplog.set_level(logging.CRITICAL)


def storm(seed: int, acts: int) -> QueueStorm:
    print(f"STORM_SEED={seed}")
    made: Storm = weather(seed, acts, sort=QueueStorm)
    assert isinstance(made, QueueStorm)
    return made


@pytest.mark.timeout(300)
def test_no_rule_is_broken() -> None:
    for seed in itertools.islice(seeds(), 5):
        made = storm(seed, ACTS)
        assert made.ledger.changes > 50
        assert made.ledger.admissions > 0, "a storm in which nobody is admitted proves nothing"


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_no_rule_is_broken_by_many_events() -> None:
    events = evictions = 0
    for seed in seeds():
        made = storm(seed, SOAK_ACTS)
        events += made.happened.total() + made.faults.total() + made.ledger.changes
        evictions += made.ledger.evictions
        if events > SOAK_EVENTS:
            break
    assert evictions > 100


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, id=name, marks=() if name in SOON_SEEN else pytest.mark.soak) for name, bug in BUGS.items()],
)
def test_a_planted_bug_is_caught(bug: PlantedBug) -> None:
    for seed in SEEDS:
        try:
            weather(seed, BUG_ACTS, bug.wraps(), sort=QueueStorm)
        except Violation:
            return
    pytest.fail("no storm has noticed it")
