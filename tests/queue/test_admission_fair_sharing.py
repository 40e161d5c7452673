"""Who has used less of late goes first."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from sidings.queue.admission_fair_sharing import Consumption, Rules
from tests.queue.objects import BEGIN

RULES = Rules(half_life=600, sampling_interval=300)


def test_half_is_forgotten_in_a_half_life() -> None:
    idle = Consumption({"cpu": 8000}, BEGIN).sampled({}, BEGIN + timedelta(seconds=600), RULES)
    assert idle.consumed == {"cpu": pytest.approx(4000)}
    assert idle.sampled_at == BEGIN + timedelta(seconds=600)


def test_usage_approaches_what_is_used_whatever_the_samples() -> None:
    step, sampled = Consumption({}, BEGIN), Consumption({}, BEGIN)
    for minute in range(1, 11):
        step = step.sampled({"cpu": 1000}, BEGIN + timedelta(minutes=minute), RULES)
    sampled = sampled.sampled({"cpu": 1000}, BEGIN + timedelta(minutes=10), RULES)
    assert step.consumed["cpu"] == pytest.approx(sampled.consumed["cpu"]) == pytest.approx(500)


def test_an_admission_counts_at_once_and_becomes_usage_with_the_sample() -> None:
    admitted = Consumption({}, BEGIN).penalised({"cpu": 1000}, RULES)
    assert admitted.penalty["cpu"] == pytest.approx(1000 * (1 - 0.5**0.5))
    assert admitted.sampled({"cpu": 1000}, BEGIN + timedelta(seconds=300), RULES).penalty == {}


def test_without_a_half_life_only_the_present_counts() -> None:
    now = Consumption({"cpu": 9000}, BEGIN).sampled({"cpu": 1000}, BEGIN + timedelta(seconds=1), Rules())
    assert now.consumed == {"cpu": 1000}


def test_resources_and_queues_have_weights() -> None:
    used = Consumption({"cpu": 2000, "nvidia.com/gpu": 3}, BEGIN)
    rules = Rules(weights={"nvidia.com/gpu": 10})
    assert used.burden(rules, 1) == 32
    assert used.burden(rules, 2) == 16
    assert used.burden(rules, 0) == math.inf


def test_a_clock_that_was_set_back_forgets_nothing() -> None:
    assert Consumption({"cpu": 5}, BEGIN).sampled({}, BEGIN - timedelta(hours=1), RULES).consumed == {"cpu": 5}
