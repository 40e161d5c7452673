from __future__ import annotations

import pytest
import torch
from torch import nn
from two_ranks import Pair

import sidings_train
from sidings_train import FlatGradients
from sidings_train.whole_step import WholeStep

on_a_cpu = pytest.mark.skipif(torch.cuda.is_available(), reason="here is a GPU")
on_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
on_two_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")

Sizes = list[int]


@on_a_cpu
def test_on_a_cpu_it_is_the_step_itself_and_says_why() -> None:
    with sidings_train.start() as world:
        step = WholeStep(lambda rows: rows.sum(), world)
        assert step(torch.ones(3)) == 3
        assert step.reason == "no CUDA graphs on cpu"


def test_what_nobody_asked_for_is_not_missed() -> None:
    with sidings_train.start() as world:
        assert WholeStep(lambda rows: rows, world, graph=False).reason == ""


def trained(sizes: Sizes, graph: bool, symmetric: bool = False) -> tuple[list[float], str]:
    """Losses of steps with so many rows each, then the weights; and why there was no graph or no symmetric memory."""
    with sidings_train.start() as world:
        torch.manual_seed(3)
        model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1)).to(world.device)
        gradients = FlatGradients(model, world, symmetric=symmetric)
        rate = torch.tensor(0.01, device=world.device)
        optimizer = torch.optim.AdamW(model.parameters(), rate, fused=True, capturable=world.device.type == "cuda")

        def one(rows: torch.Tensor) -> torch.Tensor:
            gradients.zero()
            loss = (model(rows) - rows.sum(1, keepdim=True)).square().mean()
            loss.backward()
            gradients.average()
            optimizer.step()
            return loss.detach()

        step = WholeStep(one, world, graph=graph)
        source = torch.Generator().manual_seed(world.rank)
        world.seed(5)
        losses = []
        for number, size in enumerate(sizes):
            rate.fill_(0.01 / (number + 1))
            losses.append(step(torch.randn(size, 6, generator=source).to(world.device)).item())
        return [*losses, *torch.cat([p.detach().flatten() for p in model.parameters()]).tolist()], (
            step.reason + gradients.reason
        )


SIZES = [64, 64, 64, 64, 64, 40, 64, 64, 40, 64]


@on_gpu
def test_a_graph_computes_what_the_step_does_dropout_and_small_batches_included() -> None:
    assert trained(SIZES, graph=True) == trained(SIZES, graph=False)


@on_two_gpus
@pytest.mark.parametrize("symmetric", [False, True])
def test_graphs_hold_the_exchange_and_let_the_group_go(symmetric: bool, pair: Pair) -> None:
    expected = [outcome.result for outcome in pair.run(trained, SIZES, False)]
    for outcome, (numbers, reason) in zip(pair.run(trained, SIZES, True, symmetric), expected, strict=True):
        assert outcome.result == (pytest.approx(numbers, rel=1e-6), reason)
