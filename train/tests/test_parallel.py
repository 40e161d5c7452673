"""Wraps and accumulation, on two ranks against the same rows on one."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from two_ranks import Pair

import sidings_train
from sidings_train import World
from sidings_train.accumulation import accumulating
from sidings_train.flat_gradients import FlatGradients
from sidings_train.parallel import checkpoint_activations, ddp, fsdp


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows + self.linear(rows).relu()


def build() -> nn.Module:
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 4), Block(), Block(), nn.Linear(4, 1))


def gradients(how: str, parts: int, steps: int = 2) -> tuple[list[list[float]], list[str]]:
    """Train on 8 rows, half of them on each of two ranks, in ``parts``; the last gradients and parameters' names."""
    with sidings_train.start() as world:
        model, flat = build(), None
        if "recompute" in how:
            checkpoint_activations(model, Block)
        if "ddp" in how:
            model = ddp(model, world)
        elif "fsdp" in how:
            model = fsdp(model, world, Block)
        elif "flat" in how:
            flat = FlatGradients(model, world)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rows = torch.randn(8, 6, generator=torch.Generator().manual_seed(1)).chunk(world.size)[world.rank]
        for _ in range(steps):
            flat.zero() if flat else optimizer.zero_grad()
            for number, part in enumerate(rows.chunk(parts)):
                with accumulating(model, more=number < parts - 1):
                    (model(part).square().mean() / parts).backward()
            if flat:
                flat.average()
            optimizer.step()
        whole = [
            getattr(parameter.grad, "full_tensor", lambda p=parameter: p.grad)() for parameter in model.parameters()
        ]
        return [gradient.flatten().tolist() for gradient in whole], [name for name, _ in model.named_parameters()]


def asked_for_symmetric_memory() -> tuple[str, list[float]]:
    with sidings_train.start() as world:
        model = build()
        flat = FlatGradients(model, world, symmetric=True)
        model(torch.full((2, 6), float(world.rank))).mean().backward()
        flat.average()
        return flat.reason, [parameter.grad.sum().item() for parameter in model.parameters()]


def test_where_there_is_no_symmetric_memory_gradients_are_exchanged_all_the_same(pair: Pair) -> None:
    if torch.cuda.device_count() > 1:
        pytest.skip("here there is")
    first, second = pair.run(asked_for_symmetric_memory)
    assert first.result == second.result
    assert first.result[0] == "symmetric memory is for GPUs of one node"
    assert "gradients go through the process group: " in first.printed


@pytest.mark.parametrize("how", ["ddp", "fsdp", "flat", "ddp recompute", "fsdp recompute"])
@pytest.mark.parametrize("parts", [1, 2])
def test_two_ranks_do_what_one_does(how: str, parts: int, pair: Pair) -> None:
    expected, names = pair.run(gradients, "plain", 1, ranks=1)[0].result
    for outcome in pair.run(gradients, how, parts):
        found, wrapped = outcome.result
        assert [name.removeprefix("module.") for name in wrapped] == names
        for own, other in zip(found, expected, strict=True):
            assert own == pytest.approx(other, rel=1e-4, abs=1e-6)


def exchanges(parts: int) -> list[int]:
    """How often gradients are exchanged in one step of ``parts``, by an all-reduce that counts."""
    with sidings_train.start() as world:
        model, count = ddp(build(), world), []

        def hook(state, bucket):  # torch compares annotations, and here they are strings
            count.append(1)
            done: torch.futures.Future[torch.Tensor] = torch.futures.Future()
            done.set_result(bucket.buffer())
            return done

        model.register_comm_hook(None, hook)
        for number in range(parts):
            with accumulating(model, more=number < parts - 1):
                model(torch.randn(2, 6)).mean().backward()
        return count


def test_parts_of_a_step_exchange_once(pair: Pair) -> None:
    once = pair.run(exchanges, 1)[0].result
    assert pair.run(exchanges, 4)[0].result == once


def test_a_policy_that_names_no_module_is_refused(alone: World) -> None:
    with pytest.raises(sidings_train.TrainError, match="no module of class Conv2d"):
        fsdp(build(), alone, nn.Conv2d)


def test_bfloat16_computes_and_float32_stays(alone: World) -> None:
    seen = []
    model = build()
    model[1].register_forward_pre_hook(lambda module, args: seen.append(args[0].dtype))
    sharded = fsdp(model, alone, Block, compute=torch.bfloat16)
    sharded(torch.randn(2, 6)).mean().backward()
    assert seen == [torch.bfloat16]
    assert {parameter.dtype for parameter in sharded.parameters()} == {torch.float32}
    assert {parameter.grad.dtype for parameter in sharded.parameters()} == {torch.float32}


def test_gradients_that_left_the_buffer_are_said(alone: World) -> None:
    model = build()
    flat = FlatGradients(model, alone)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for zero in (flat.zero, optimizer.zero_grad):
        zero()
        model(torch.ones(2, 6)).sum().backward()
        if zero == flat.zero:
            flat.average()
    with pytest.raises(sidings_train.TrainError, match=r"not in the buffer[\s\S]*zero_grad[\s\S]*help: call zero\(\)"):
        flat.average()


def frozen_part() -> list[float]:
    with sidings_train.start() as world:
        torch.manual_seed(world.rank)
        model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        model[0].requires_grad_(False)
        FlatGradients(model, world)
        return [value for parameter in model.parameters() for value in parameter.flatten().tolist()]


def test_what_is_frozen_begins_as_rank_0_too(pair: Pair) -> None:
    first, second = (outcome.result for outcome in pair.run(frozen_part))
    assert first == second
