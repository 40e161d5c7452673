"""The plan follows from the seed, has every manner, and leaves the end of the run in peace."""

from __future__ import annotations

import random

from sidings.verify_resume import interruptions
from sidings.verify_resume.interruptions import Manner

SOME = (Manner.TERMINATE, Manner.KILL_RANK, Manner.KILL_ALL, Manner.TEAR)


def test_the_same_seed_is_the_same_plan() -> None:
    first, second = (interruptions.drawn(7, 1000, SOME, random.Random(3)) for _ in range(2))
    assert first == second
    assert first != interruptions.drawn(7, 1000, SOME, random.Random(4))


def test_every_manner_comes_once_before_one_comes_again() -> None:
    plan = interruptions.drawn(9, 1000, SOME, random.Random(5))
    assert {one.manner for one in plan[:4]} == {one.manner for one in plan[4:8]} == set(SOME)


def test_steps_ascend_and_leave_the_end_alone() -> None:
    steps = [one.step for one in interruptions.drawn(500, 100, SOME, random.Random(6))]
    assert steps == sorted(steps)
    assert (min(steps), max(steps)) == (1, 95)
    assert [one.step for one in interruptions.drawn(2, 1, SOME, random.Random(6))] == [1, 1]
