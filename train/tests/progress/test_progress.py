"""The loop's view: when a line is due, what it says, and who says it."""

from __future__ import annotations

from pathlib import Path

import torch
from two_ranks import Pair

import sidings_train
from sidings_train import Checkpoints, Progress, TrainState


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
