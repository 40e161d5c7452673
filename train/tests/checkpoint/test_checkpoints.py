"""Real runs on two ranks: interrupted and gone on with, against one that was not."""

from __future__ import annotations

import hashlib
import json
import threading
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed.checkpoint.format_utils
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn.parallel import DistributedDataParallel
from two_ranks import Pair

import sidings_train
from sidings_train import CheckpointError, Checkpoints, FlatGradients, LossError, StorageError, TrainState, World
from sidings_train.checkpoint.layout import MANIFEST
from sidings_train.storage.directory import Directory
from sidings_train.storage.memory import Memory

ROWS = 8  # of all ranks together, in a step


def build(world: World, how: str, width: int = 16, **recipe: Any) -> TrainState:
    """A net with dropout and a scheduler, so that every part of the state matters."""
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Dropout(0.3), nn.Linear(width, 3), nn.BatchNorm1d(3))
    parallel: nn.Module = model
    if how == "fsdp":
        for part in (model[0], model[3]):
            fully_shard(part)
        fully_shard(model)
    elif how == "flat":
        model.flat = FlatGradients(model, world)
    elif world.size > 1:
        parallel = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(parallel.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.05, total_steps=100)
    world.seed(7)
    return TrainState(parallel, optimizer, {"scheduler": scheduler}, {"batch": ROWS, **recipe})


def step(world: World, state: TrainState) -> float:
    """Random rows and random dropout: a loss that differs when anything was not restored."""
    optimizer = state.optimizers[0]
    loss = (state.model(torch.randn(ROWS // world.size, 8)) - 1).square().mean()
    flat = getattr(state.model, "flat", None)
    flat.zero() if flat else optimizer.zero_grad()
    loss.backward()
    if flat:
        flat.average()
    optimizer.step()
    state.parts["scheduler"].step()
    state.advance(ROWS)
    return loss.item()


def digest(model: nn.Module) -> str:
    found = hashlib.sha256()
    for name, tensor in model.state_dict().items():
        whole = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        found.update(name.removeprefix("module.").encode() + whole.numpy().tobytes())
    return found.hexdigest()


def run(place: str, how: str, last: int, every: int | None = None) -> tuple[list[float], str, tuple[int, int, int]]:
    """Go on to step ``last``: the losses from there, a checksum of the weights, and where training stands."""
    with sidings_train.start() as world:
        state = build(world, how)
        with Checkpoints(place, world, state, every=every) as checkpoints:
            checkpoints.resume()
            losses = []
            while state.step < last:
                losses.append(step(world, state))
                if state.step == 6:
                    state.next_epoch()
                checkpoints.after_step()
            checkpoints.save()
        return losses, digest(state.model), (state.step, state.epoch, state.position)


@pytest.mark.parametrize("how", ["ddp", "fsdp", "flat"])
def test_an_interrupted_run_does_the_same_steps(how: str, pair: Pair, tmp_path: Path) -> None:
    whole = [outcome.result for outcome in pair.run(run, str(tmp_path / "whole"), how, 9)]
    parts = [pair.run(run, str(tmp_path / "parts"), how, last, 2) for last in (2, 5, 9)]
    for rank in (0, 1):
        losses = [loss for part in parts for loss in part[rank].result[0]]
        assert losses == whole[rank][0]
        assert parts[-1][rank].result[1:] == whole[rank][1:]
    assert whole[0][2] == (9, 1, 3 * ROWS)
    assert f"resumed from {tmp_path}/parts/step-00000005/" in parts[-1][0].printed
    assert parts[-1][1].printed == ""
    steps = sorted(path.name for path in (tmp_path / "parts").iterdir())
    assert len(steps) == 2
    assert steps[-1] == "step-00000009"


@pytest.mark.parametrize("how", ["ddp", "fsdp"])
def test_another_number_of_ranks_goes_on_with_the_same_weights(how: str, pair: Pair, tmp_path: Path) -> None:
    place = str(tmp_path)
    two = [outcome.result for outcome in pair.run(run, place, how, 3)]
    (seen,) = pair.run(run, place, how, 3, ranks=1)
    assert seen.result == ([], two[0][1], two[0][2])
    (one,) = pair.run(run, place, how, 5, ranks=1)
    assert len(one.result[0]) == 2
    back = pair.run(run, place, how, 5)
    assert [outcome.result[1] for outcome in back] == [one.result[1]] * 2
    assert "position 40, written by 1 rank)" in back[0].printed


def test_from_whole_tensors_to_sharded_ones(pair: Pair, tmp_path: Path) -> None:
    written = pair.run(run, str(tmp_path), "ddp", 3)[0].result
    assert [outcome.result for outcome in pair.run(run, str(tmp_path), "fsdp", 3)] == [([], *written[1:])] * 2


class RefusesOne(Directory):
    """A disk that is full on the node of one rank, for the first ``times`` files."""

    def __init__(self, root: Path, times: int) -> None:
        super().__init__(root)
        self.left = times

    def create(self, name: str) -> Any:
        if self.left:
            self.left -= 1
            raise StorageError("cannot write pieces", cause="No space left on device", remedy="make room: df -h")
        return super().create(name)


def run_with_a_full_disk(place: str, times: int) -> int:
    with sidings_train.start() as world:
        state = build(world, "ddp")
        refusing = RefusesOne(Path(place), times if world.rank == 1 else 0)
        with Checkpoints(refusing, world, state, every=3) as checkpoints:
            while state.step < 7:
                step(world, state)
                checkpoints.after_step()
            return checkpoints.save().step


def test_a_periodic_checkpoint_that_fails_on_one_rank_is_a_line(pair: Pair, tmp_path: Path) -> None:
    first, second = pair.run(run_with_a_full_disk, str(tmp_path), 1)
    assert first.result == second.result == 7
    assert "checkpoint failed, training goes on: rank 1: cannot write pieces" in first.printed
    assert "help: make room: df -h" in first.printed


def test_the_last_checkpoint_that_fails_on_one_rank_fails_on_all(pair: Pair, tmp_path: Path) -> None:
    for outcome in pair.run(run_with_a_full_disk, str(tmp_path), 99):
        assert isinstance(outcome.error, StorageError)
        assert "rank 1: cannot write pieces" in str(outcome.error)
    assert not list(tmp_path.glob("**/manifest.json"))


def run_on_two_disks(place: str) -> None:
    with sidings_train.start() as world:
        state = build(world, "fsdp")
        step(world, state)
        Checkpoints(f"{place}/node-{world.rank}", world, state).save()


def test_a_folder_that_is_not_shared_is_found_at_once(pair: Pair, tmp_path: Path) -> None:
    for outcome in pair.run(run_on_two_disks, str(tmp_path)):
        assert isinstance(outcome.error, CheckpointError)
        assert "the folder is not the same on all nodes" in outcome.error.cause
        assert "ReadWriteMany" in outcome.error.remedy


def run_with_own_data(place: str) -> None:
    with sidings_train.start() as world:
        Checkpoints(place, world, build(world, "ddp", data=f"fingerprint-{world.rank}")).resume()


def test_ranks_with_different_data_do_not_begin(pair: Pair, tmp_path: Path) -> None:
    for outcome in pair.run(run_with_own_data, str(tmp_path)):
        assert isinstance(outcome.error, CheckpointError)
        assert "rank 1 differs from rank 0 in data" in str(outcome.error)


def test_another_recipe_or_model_is_refused(alone: World, tmp_path: Path) -> None:
    Checkpoints(tmp_path, alone, build(alone, "ddp")).save()
    with pytest.raises(CheckpointError, match=r"of another run: lr was None and is 0\.5"):
        Checkpoints(tmp_path, alone, build(alone, "ddp", lr=0.5)).resume()
    with pytest.raises(CheckpointError, match=r"another model or optimizer: model.0.weight \(16, 8\).* and \d+ more"):
        Checkpoints(tmp_path, alone, build(alone, "ddp", width=17)).resume()


def test_parts_are_those_of_the_checkpoint(alone: World) -> None:
    place, state = Memory(), build(alone, "ddp", betas=(0.9, 0.95))
    Checkpoints(place, alone, state).save()
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    for change, said in (
        ({"scaler": scaler}, r"parts\.scaler is not in it"),
        ({"scheduler": scaler}, r"part 'scheduler' does not take its state back\n  cause: KeyError: 'scale'"),
        ({}, r"parts\.scheduler is in it only"),
    ):
        again = build(alone, "ddp", betas=(0.9, 0.95))
        again.parts = {**again.parts, **change} if change else {}
        with pytest.raises(CheckpointError, match=said):
            Checkpoints(place, alone, again).resume()
    assert Checkpoints(place, alone, build(alone, "ddp", betas=(0.9, 0.95))).resume()
    with pytest.raises(CheckpointError, match="the recipe's 'dtype' cannot be kept"):
        Checkpoints(place, alone, build(alone, "ddp", dtype=torch.bfloat16))


def test_a_slow_store_costs_checkpoints_and_not_steps(alone: World, capsys: pytest.CaptureFixture[str]) -> None:
    open_again = threading.Event()
    place = Memory(lambda verb, name: open_again.wait(60) and None if verb == "create" else None)
    state = build(alone, "ddp")
    with Checkpoints(place, alone, state, every=1, keep=9) as checkpoints:
        for _ in range(3):
            step(alone, state)
            checkpoints.after_step()
        assert place.files == {}
        open_again.set()
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"checkpoint at step {late} left out: the one before is still being written" for late in (2, 3)
    ]  # fmt: skip
    manifests = [json.loads(data) for name, data in place.files.items() if name.endswith(MANIFEST)]
    assert [manifest["place"]["step"] for manifest in manifests] == [1]


def test_what_training_changes_meanwhile_is_not_in_it(alone: World) -> None:
    open_again = threading.Event()
    place = Memory(lambda verb, name: open_again.wait(60) and None if verb == "create" else None)
    state = build(alone, "ddp")
    with Checkpoints(place, alone, state, every=1) as checkpoints:
        step(alone, state)
        weights, drawn = digest(state.model), torch.get_rng_state()
        checkpoints.after_step()
        state.advance = lambda amount: None  # type: ignore[method-assign]  # on with the weights, not with the count
        for _ in range(3):
            step(alone, state)
        open_again.set()
    again = build(alone, "ddp")
    assert Checkpoints(place, alone, again).resume()
    assert digest(again.model) == weights
    assert torch.equal(torch.get_rng_state(), drawn)


def test_one_step_is_written_once(alone: World) -> None:
    place, state = Memory(), build(alone, "ddp")
    checkpoints = Checkpoints(place, alone, state)
    step(alone, state)
    assert checkpoints.save() is checkpoints.save()
    assert len([name for name in place.files if name.endswith(MANIFEST)]) == 1


def test_torch_reads_it_without_us(alone: World, tmp_path: Path) -> None:
    state = build(alone, "ddp")
    step(alone, state)
    Checkpoints(tmp_path / "run", alone, state).save()
    (attempt,) = (tmp_path / "run").glob("step-*/*")
    torch.distributed.checkpoint.format_utils.dcp_to_torch_save(attempt, tmp_path / "one-file.pt")
    read = torch.load(tmp_path / "one-file.pt", weights_only=False)
    assert torch.equal(read["model.0.weight"], state.model.state_dict()["0.weight"])


def test_an_average_of_the_weights_is_a_part(alone: World) -> None:
    def build_with_average() -> tuple[TrainState, torch.optim.swa_utils.AveragedModel]:
        state = build(alone, "ddp")
        average = torch.optim.swa_utils.AveragedModel(state.model)
        state.parts = {**state.parts, "average": average}
        return state, average

    place = Memory()
    state, average = build_with_average()
    for _ in range(2):
        step(alone, state)
        average.update_parameters(state.model)
    Checkpoints(place, alone, state).save()
    again, restored = build_with_average()
    Checkpoints(place, alone, again).resume()
    assert digest(restored) == digest(average) != digest(state.model)


def run_into_nan(place: str) -> None:
    with sidings_train.start() as world:
        state = build(world, "ddp")
        with Checkpoints(place, world, state, every=2) as checkpoints:
            while True:
                loss = torch.tensor(step(world, state))
                state.step -= 1
                state.advance(0, torch.tensor(float("nan")) if state.step == 4 and world.rank == 1 else loss)
                checkpoints.after_step()


def test_weights_that_are_lost_are_not_written(pair: Pair, tmp_path: Path) -> None:
    for outcome in pair.run(run_into_nan, str(tmp_path)):
        assert isinstance(outcome.error, LossError)
        assert "the loss was NaN or infinite by step 6 (rank 1)" in str(outcome.error)
    assert max(path.name for path in tmp_path.iterdir()) <= "step-00000004"


class SaysThatItIsLost(TrainState):
    """Sets ``heard`` when the loop learns that the loss is lost."""

    heard = threading.Event()

    def is_lost(self) -> bool:
        lost = super().is_lost()
        if lost:
            self.heard.set()
        return lost


def test_a_good_checkpoint_still_being_written_is_not_lost_with_the_loss(alone: World) -> None:
    state = SaysThatItIsLost(nn.Linear(2, 2), step=1)
    place = Memory(lambda verb, name: state.heard.wait(60) and None)  # slow: nothing is written before
    with (
        pytest.raises(LossError, match=r"the newest good one is of step 2"),
        Checkpoints(place, alone, state, every=2) as checkpoints,
    ):
        for loss in (0.5, 0.5, float("nan")):
            state.advance(1, torch.tensor(loss))
            checkpoints.after_step()
