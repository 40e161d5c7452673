"""Two ranks of which one takes its time: rank 0 says which, and with how much."""

from __future__ import annotations

import re
import socket
import sys
import time

import pytest
import torch
from torch import nn
from two_ranks import Pair

import sidings_train

PAUSE = 0.5  # seconds of each of rank 1's steps: much, on a machine of any load
STEPS = 200  # at most


def train_until_somebody_is_called_slow(how: str) -> str:
    with sidings_train.start() as world:
        torch.manual_seed(1)
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
        flat = sidings_train.FlatGradients(model, world) if how == "flat" else None
        if how == "ddp":
            model = sidings_train.ddp(model, world)
        elif how == "fsdp":
            model = sidings_train.fsdp(model, world, nn.Linear)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(STEPS):
            if world.any("is slow" in sys.stderr.getvalue()):
                break
            time.sleep(PAUSE * world.rank)  # in its data
            flat.zero() if flat else optimizer.zero_grad()
            model(torch.ones(2, 4)).sum().backward()
            if flat:
                flat.average()
            optimizer.step()
        return sys.stderr.getvalue()


@pytest.mark.parametrize("how", ["ddp", "fsdp", "flat"])
def test_it_is_named(how: str, pair: Pair) -> None:
    first, second = (outcome.result for outcome in pair.run(train_until_somebody_is_called_slow, how))
    found = re.search(rf"rank 1 \({socket.gethostname()}\) is slow: [\d.]+ (ms|s) of its own work a step", first)
    assert found
    assert "is slow" not in second
