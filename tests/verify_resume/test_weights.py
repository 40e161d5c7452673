"""Checkpoints are compared by what they hold, to the last bit."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.distributed.checkpoint as dcp

from sidings.verify_resume import weights


def state() -> dict[str, object]:
    return {"model": {"w": torch.arange(4.0), "s": torch.tensor(1)}, "step": 3, "lr": [0.1, float("nan")]}


def test_what_is_equal_is_equal_whatever_its_form(tmp_path: Path) -> None:
    torch.save(state(), tmp_path / "one.pt")
    torch.save(dict(reversed(state().items())), tmp_path / "other.pt")
    answer = weights.compare(weights.load(tmp_path / "one.pt"), weights.load(tmp_path / "other.pt"))
    assert answer == {"tensors": 2, "bytes": 24, "difference": ""}


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        ({"model": {"w": torch.tensor([0.0, 1, 2, 3.0000002]), "s": torch.tensor(1)}}, "model.w"),
        ({"model": {"w": torch.tensor([-0.0, 1, 2, 3]), "s": torch.tensor(1)}}, "model.w"),
        ({"model": {"w": torch.arange(4.0).reshape(2, 2), "s": torch.tensor(1)}}, "model.w"),
        ({"model": {"w": torch.arange(4.0), "s": torch.tensor(1, dtype=torch.int32)}}, "model.s"),
        ({"lr": [0.1, 0.2]}, "lr[1]"),
        ({"more": 1}, "more is in one of the two only"),
    ],
)
def test_any_bit_is_a_difference(change: dict[str, object], difference: str) -> None:
    assert weights.compare(state(), state() | change)["difference"] == difference
    assert weights.compare(state() | change, state())["difference"] == difference


@pytest.mark.filterwarnings("ignore:torch.distributed is disabled")
def test_a_sharded_checkpoint_is_read_whole(tmp_path: Path) -> None:
    dcp.save({"w": torch.arange(3.0)}, checkpoint_id=tmp_path / "c", no_dist=True)
    assert weights.compare({"w": torch.arange(3.0)}, weights.load(tmp_path / "c"))["difference"] == ""


def test_of_any_other_file_the_bytes_count(tmp_path: Path) -> None:
    (tmp_path / "one.bin").write_bytes(b"abc")
    (tmp_path / "other.bin").write_bytes(b"abd")
    one, other = (weights.load(tmp_path / name) for name in ("one.bin", "other.bin"))
    assert weights.compare(one, one)["difference"] == ""
    assert weights.compare(one, other)["difference"] == "its bytes"


def test_checkpoints_of_two_steps_are_no_difference_of_weights() -> None:
    one, other = ({"a": torch.tensor(step), "train": {"step": step}} for step in (180, 185))
    assert weights.compare(one, other)["difference"] == "train.step (180 and 185: they are not of one step)"
    deep = [{"optimizer": {"state": {0: {"step": step}}}} for step in (180, 185)]
    assert weights.compare(*deep)["difference"] == "optimizer.state.0.step"
