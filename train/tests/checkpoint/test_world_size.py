"""Two ranks, one, and two again: every row of the epoch comes once, and training does the steps of a run in peace."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from two_ranks import Pair

import sidings_train
from sidings_train import Checkpoints, Table, TrainState

ROWS, BATCH = 96, 16  # of all ranks together


def train(place: str, how: str, last: int) -> tuple[list[list[int]], list[float]]:
    """Go on to step ``last``: this rank's rows of each step, and the mean loss of all ranks."""
    with sidings_train.start() as world:
        torch.manual_seed(5)
        table = Table({"row": torch.arange(ROWS), "x": torch.randn(ROWS, 4), "y": torch.randn(ROWS, 1)}, world.device)
        model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
        model = sidings_train.fsdp(model, world, nn.Linear) if how == "fsdp" else sidings_train.ddp(model, world)
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)
        state = TrainState(model, optimizer, recipe={"data": table.fingerprint, "batch": BATCH})
        rows, losses = [], []
        with Checkpoints(place, world, state) as checkpoints:
            checkpoints.resume()
            at = {"seed": 3, "epoch": 0, "position": state.position, "size": BATCH // world.size}
            for batch in table.batches(world, **at):
                loss = (model(batch.columns["x"]) - batch.columns["y"]).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                state.advance(batch.of_all, loss)
                rows.append(batch.columns["row"].tolist())
                losses.append(sum(world.gather(loss.item())) / world.size)
                if state.step == last:
                    break
            checkpoints.save()
        return rows, losses


@pytest.mark.parametrize("hows", [("ddp", "ddp", "ddp"), ("fsdp", "fsdp", "fsdp"), ("fsdp", "ddp", "fsdp")])
def test_every_row_once_and_the_same_losses(hows: tuple[str, str, str], pair: Pair, tmp_path: Path) -> None:
    whole = pair.run(train, f"{tmp_path}/whole", hows[0], ROWS // BATCH)[0].result
    rows, losses = [], []
    for how, last, ranks in zip(hows, (2, 4, ROWS // BATCH), (2, 1, 2), strict=True):
        parts = [outcome.result for outcome in pair.run(train, f"{tmp_path}/parts", how, last, ranks=ranks)]
        rows += [row for part in parts for step in part[0] for row in step]
        losses += parts[0][1]
    assert sorted(rows) == list(range(ROWS))
    assert losses == pytest.approx(whole[1], rel=1e-4)
