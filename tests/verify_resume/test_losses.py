"""What counts as a loss."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidings.verify_resume import losses
from sidings.verify_resume.losses import Loss, Told


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
