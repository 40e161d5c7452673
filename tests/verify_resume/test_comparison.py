"""Where two runs part first, and which equal losses prove nothing."""

from __future__ import annotations

import pytest

from sidings.verify_resume.comparison import Difference, first_difference, gone_on, is_counted_anew, lost_from
from sidings.verify_resume.losses import Loss

CALM = [Loss(1, 0, "0.5"), Loss(2, 0, "0.4"), Loss(3, 0, "0.3")]


def test_steps_that_are_done_again_are_compared_each_time() -> None:
    assert first_difference(CALM, [CALM[:2], CALM[1:]]) is None
    first = [Loss(1, 0, "0.5"), Loss(2, 0, "0.41")]
    assert first_difference(CALM, [first, CALM[1:]]) == Difference(2, 0, "0.4", "0.41", 1)


def test_the_first_step_is_told_but_before_it_what_nothing_had_interrupted() -> None:
    wrong = [Loss(2, 0, "0.41"), CALM[2]]
    assert first_difference(CALM, [CALM[:2], [Loss(3, 0, "0.31")], wrong]) == Difference(2, 0, "0.4", "0.41", 3)
    assert first_difference(CALM, [[*CALM[:2], Loss(3, 0, "0.31")], wrong]) == Difference(3, 0, "0.3", "0.31", 1)


def test_a_step_in_one_run_only_is_a_difference() -> None:
    assert first_difference(CALM, [[CALM[0], CALM[2]]]) == Difference(2, 0, "0.4", "nothing", 0)
    assert first_difference(CALM[:2], [CALM]) == Difference(3, 0, "nothing", "0.3", 1)


def test_printed_losses_of_several_ranks_are_any_of_theirs() -> None:
    calm = [Loss(1, -1, "0.5"), Loss(1, -1, "0.6")]
    assert first_difference(calm, [[Loss(1, -1, "0.6")]]) is None


def test_a_step_that_was_saved_but_killed_before_it_was_told_is_no_difference() -> None:
    both = [Loss(step, rank, f"0.{step}") for step in (1, 2, 3, 4) for rank in (0, 1)]
    assert first_difference(both, [both[:3], both[4:]]) is None, "rank 1 did step 2"
    assert first_difference(both, [both[:2], both[4:]]) is None, "both did"
    assert first_difference(both, [both[:2], both[6:]]) == Difference(2, 0, "0.2", "nothing", 0), "two steps"
    assert first_difference(both, [both[:4], both[4:6]]) == Difference(4, 0, "0.4", "nothing", 0), "nothing went on"


def test_only_a_start_behind_the_first_step_went_on() -> None:
    assert gone_on(CALM, [CALM[:2], CALM]) == 0
    assert gone_on(CALM, [CALM[:2], CALM[:1], CALM[1:], []]) == 1


@pytest.mark.parametrize(
    ("texts", "step"),
    [
        (["0.5", "nan", "nan"], 2),
        (["inf", "NaN", "-inf"], 1),
        (["0.5", "inf", "0.4"], None),
        (["0.5", "nan", "0x1.8p-1"], None),
    ],
)
def test_losses_that_are_lost_for_good(texts: list[str], step: int | None) -> None:
    assert lost_from([Loss(number, 0, text) for number, text in enumerate(texts, 1)]) == step


@pytest.mark.parametrize(
    ("steps", "anew"),
    [([1, 2, 3, 1, 2, 3], True), ([1, 1, 2, 2, 3, 3], False), ([1, 2, 1, 2, 3, 3], False), ([10, 20, 30], False)],
)
def test_steps_that_are_counted_within_an_epoch(steps: list[int], anew: bool) -> None:
    assert is_counted_anew([Loss(step, -1, "0.5") for step in steps]) is anew
