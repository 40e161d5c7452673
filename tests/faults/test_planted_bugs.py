"""A storm notices what it is there for."""

import logging

import pytest

from tests.faults.ledger import Violation
from tests.faults.planted_bugs import BUGS, PlantedBug
from tests.faults.storm import weather

SEEDS = (3, 5, 13, 7, 8, 12, 1, 2, 4)
"""Tried until one notices. The rarest, a set that is not suspended, shows in a fifth of such storms."""


@pytest.mark.parametrize("bug", [pytest.param(bug, id=name) for name, bug in BUGS.items()])
def test_a_planted_bug_is_caught(bug: PlantedBug, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)  # controllers tell at length how a bug hurts them
    for seed in SEEDS:
        try:
            weather(seed, 300, bug.wraps())
        except Violation:
            return
    pytest.fail("no storm has noticed it")
