"""What counts as a loss, and where two runs part first."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.verify_resume import losses
from sidings.verify_resume.losses import Difference, Loss, Told


@pytest.mark.parametrize(
    ("line", "loss"),
    [
        ("epoch 1/3 step 634/1902 loss 0.01234 9,000 rows/s", Loss(634, -1, "0.01234")),
        ("step: 7 | lr 1e-3 | loss: 2.5e-05", Loss(7, -1, "2.5e-05")),
        ("Step=3, Loss=NaN", Loss(3, -1, "NaN")),
        ("step 3 saved", None),
        ("loss 0.5 at the end of step 3", None),
        ("timestep 3 loss 0.5", None),
    ],
)
def test_printed_lines(line: str, loss: Loss | None) -> None:
    assert losses.printed(line) == loss


@pytest.mark.parametrize("line", ["", "1 0", "1 0 0.5 more", "one 0 0.5", "-1 0 0.5"])
def test_what_is_no_line_of_the_log(line: str) -> None:
    assert losses.logged(line) is None


def test_the_log_counts_before_what_is_printed(tmp_path: Path) -> None:
    log, output = tmp_path / "log", tmp_path / "output"
    told = Told(log, output)
    assert told.read() == []
    assert not told.reaches(0)
    output.write_text("step 1 loss 0.5\n")
    assert told.read() == [Loss(1, -1, "0.5")]
    log.write_text("1 0 0.50001\n2 1")
    assert told.read() == [Loss(1, 0, "0.50001")]
    log.write_text("1 0 0.50001\n2 1 0.25\n3 0 0.")
    assert told.read() == [Loss(1, 0, "0.50001"), Loss(2, 1, "0.25")]
    assert told.reaches(2)
    assert not told.reaches(3)
    log.write_text(log.read_text() + "1\n1 0 0.1\n")
    assert told.reaches(3)


CALM = [Loss(1, 0, "0.5"), Loss(2, 0, "0.4"), Loss(3, 0, "0.3")]


def test_steps_that_are_done_again_are_compared_each_time() -> None:
    assert losses.first_difference(CALM, [CALM[:2], CALM[1:]]) is None
    first = [Loss(1, 0, "0.5"), Loss(2, 0, "0.41")]
    assert losses.first_difference(CALM, [first, CALM[1:]]) == Difference(2, 0, "0.4", "0.41", 1)


def test_the_first_step_is_told_not_the_first_attempt() -> None:
    attempts = [[*CALM[:2], Loss(3, 0, "0.31")], [Loss(2, 0, "0.41"), CALM[2]]]
    assert losses.first_difference(CALM, attempts) == Difference(2, 0, "0.4", "0.41", 2)


def test_a_step_in_one_run_only_is_a_difference() -> None:
    assert losses.first_difference(CALM, [[CALM[0], CALM[2]]]) == Difference(2, 0, "0.4", "nothing", 0)
    assert losses.first_difference(CALM[:2], [CALM]) == Difference(3, 0, "nothing", "0.3", 1)


def test_printed_losses_of_several_ranks_are_any_of_theirs() -> None:
    calm = [Loss(1, -1, "0.5"), Loss(1, -1, "0.6")]
    assert losses.first_difference(calm, [[Loss(1, -1, "0.6")]]) is None
