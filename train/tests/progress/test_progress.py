"""The loop's view: when a line is due, what it says, and who says it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from two_ranks import Pair

import sidings_train
from sidings_train import Checkpoints, Progress, TrainState, World


def trained(place: str) -> int:
    """Ten steps of one second by the clock of this loop, a quarter of it waiting, a quarter in the exchange."""
    with sidings_train.start() as world:
        now = [0.0]
        state = TrainState(torch.nn.Linear(1, 1))

        def batches() -> object:
            for batch in range(10):
                now[0] += 0.25
                yield batch

        with (
            Checkpoints(place, world, state, every=4) as checkpoints,
            Progress(
                world,
                state,
                total=10,
                checkpoints=checkpoints,
                every=4.0,
                unit="tokens",
                operations=50.0,
                peak=1000.0,
                clock=lambda: now[0],
            ) as progress,
        ):
            for batch in progress.data(batches()):
                with progress.communicating():
                    now[0] += 0.25
                now[0] += 0.5
                loss = torch.tensor(float(batch))
                state.advance(8, loss)
                progress.step(8, loss)
                checkpoints.after_step()
            checkpoints.save()
        return state.step


def test_rank_0_tells_when_it_is_due_and_at_the_end(pair: Pair, tmp_path: Path) -> None:
    first, second = pair.run(trained, str(tmp_path / "c"))
    assert (first.result, second.result) == (10, 10)
    lines = [line for line in first.printed.splitlines() if line.startswith("step ")]
    split = "data 25% compute 50% communication 25%"
    assert lines[0] == f"step 4/10 40% loss 3 8 tokens/s ETA 6 s {split} MFU 20.0%"
    assert lines[1].startswith(f"step 8/10 80% loss 7 8 tokens/s ETA 2 s {split} ")  # its checkpoint may be on its way
    assert lines[2].startswith(f"step 10/10 100% loss 9 8 tokens/s ETA 0 s {split} checkpoint ")
    assert len(lines) == 3
    assert "step " not in second.printed


def evaluated(folder: str) -> None:
    """Two steps of a second, then an evaluation of nine."""
    with sidings_train.start() as world:
        now = [0.0]
        state = TrainState(torch.nn.Linear(1, 1))
        with Progress(world, state, total=4, every=4.0, tensorboard=folder, clock=lambda: now[0]) as progress:
            for _ in range(2):
                now[0] += 1.0
                state.advance(8, torch.tensor(0.5))
                progress.step(8, torch.tensor(0.5))
            for batch in progress.evaluation(iter(range(3)), 3):
                now[0] += 3.0
                assert batch < 3
            progress.evaluated({"accuracy": 0.75})


def test_an_evaluation_is_told_and_its_time_is_of_no_step(pair: Pair, tmp_path: Path) -> None:
    first, second = pair.run(evaluated, str(tmp_path / "curves"))
    assert (first.error, second.error, second.printed) == (None, None, "")
    assert first.printed.splitlines() == [
        "evaluation 2/3 66%",
        "step 2/4 50% loss 0.5 8 rows/s ETA 2 s data 0% compute 100% communication 0%",
        "step 2/4 50% evaluated: accuracy 0.75",
    ]
    [file] = (tmp_path / "curves").iterdir()
    assert b"eval/accuracy" in file.read_bytes()


@pytest.mark.parametrize("page", [-1, 65536])
def test_a_page_is_a_port(alone: World, page: int) -> None:
    with pytest.raises(ValueError, match=f"not {page}"):
        Progress(alone, TrainState(torch.nn.Linear(1, 1)), total=1, page=page)


@pytest.mark.parametrize(("end", "lines"), [(SystemExit(143), 1), (RuntimeError("torn"), 0)])
def test_who_is_stopped_tells_where_and_who_breaks_does_not(
    alone: World, capfd: pytest.CaptureFixture[str], end: BaseException, lines: int
) -> None:
    state = TrainState(torch.nn.Linear(1, 1))
    with pytest.raises(type(end)), Progress(alone, state, total=4) as progress:
        state.advance(8)
        progress.step(8, torch.tensor(0.5))
        raise end
    assert capfd.readouterr().out.count("step 1/4 25% loss 0.5") == lines
