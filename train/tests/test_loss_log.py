"""A line per step and rank, exact, and only where a file is named."""

from __future__ import annotations

from pathlib import Path

import torch
from two_ranks import Pair

from sidings_train import TrainState, loss_log


def test_all_digits_of_every_step(tmp_path: Path) -> None:
    environ = {"LOSS_LOG": str(tmp_path / "log"), "RANK": "1"}
    loss = torch.tensor(0.1)
    loss_log.note(1, loss, environ)
    loss_log.note(2, torch.tensor(float("nan")), environ)
    lines = (tmp_path / "log").read_text().splitlines()
    assert [line.split()[:2] for line in lines] == [["1", "1"], ["2", "1"]]
    assert torch.tensor(float(lines[0].split()[2])).equal(loss)
    assert lines[1].endswith(" nan")


def test_nothing_is_written_unless_asked_for(tmp_path: Path) -> None:
    loss_log.note(1, torch.tensor(0.1), {})
    assert list(tmp_path.iterdir()) == []


def test_advance_tells_the_step_that_is_done(pair: Pair, tmp_path: Path) -> None:
    (only,) = pair.run(advanced, ranks=1, LOSS_LOG=str(tmp_path / "log"))
    assert only.result == 2
    assert (tmp_path / "log").read_text() == "1 0 0.5\n2 0 0.25\n"


def advanced() -> int:
    state = TrainState(torch.nn.Linear(1, 1))
    state.advance(8, torch.tensor(0.5))
    state.advance(8, torch.tensor(0.25))
    return state.step
