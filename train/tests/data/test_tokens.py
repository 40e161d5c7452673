from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sidings_train import TrainError, World
from sidings_train.data import tokens
from sidings_train.data.tokens import Tokens


@pytest.mark.parametrize("wide", [False, True])
def test_windows_of_files(wide: bool, tmp_path: Path, alone: World) -> None:
    top = 100_000 if wide else 65_535
    assert tokens.write(tmp_path / "a", [range(5), range(5, 10)], wide=wide) == 10
    tokens.write(tmp_path / "b", [[top, 1, 2, 3, 4, 5]], wide=wide)
    data = Tokens([tmp_path / "a", tmp_path / "b"], 3, wide=wide)
    assert len(data) == 4
    assert data.take(torch.arange(4)).tolist() == [[0, 1, 2, 3], [3, 4, 5, 6], [6, 7, 8, 9], [top, 1, 2, 3]]
    assert not list(tmp_path.glob(".*"))
    (batch,) = data.batches(alone, seed=0, epoch=0, position=0, size=4)
    assert batch.of_all == 12
    assert torch.equal(batch.inputs[:, 1:], batch.targets[:, :-1])


def test_from_a_position_on_the_windows_are_the_same(tmp_path: Path, alone: World) -> None:
    tokens.write(tmp_path / "a", [range(100)])
    data = Tokens([tmp_path / "a"], 4)
    whole = [batch.inputs.tolist() for batch in data.batches(alone, seed=1, epoch=0, position=0, size=5)]
    rest = [batch.inputs.tolist() for batch in data.batches(alone, seed=1, epoch=0, position=2 * 5 * 4, size=5)]
    assert rest == whole[2:]
    assert data.steps(5, alone) == len(whole)


def test_too_little_text_is_said(tmp_path: Path) -> None:
    tokens.write(tmp_path / "a", [range(4)])
    with pytest.raises(TrainError, match="no window of 5 tokens in"):
        Tokens([tmp_path / "a"], 4)
    with pytest.raises(TrainError, match="in no file"):
        Tokens([], 4)


def test_a_fingerprint_tells_files_apart(tmp_path: Path) -> None:
    tokens.write(tmp_path / "a", [range(1000)])
    tokens.write(tmp_path / "b", [[*range(999), 7]])
    tokens.write(tmp_path / "c", [range(1001)])
    assert len({Tokens([tmp_path / name], 4).fingerprint for name in "abc"}) == 3


def test_an_empty_file_among_others_is_passed_over(tmp_path: Path, alone: World) -> None:
    for name, documents in (("a", []), ("b", [range(9)]), ("c", [])):
        tokens.write(tmp_path / name, documents)
    data = Tokens([tmp_path / name for name in "abc"], 4)
    assert data.take(torch.arange(2))[:, 0].tolist() == [0, 4]
    three = replace(alone, size=3)
    with pytest.raises(TrainError, match="2 windows of 4 tokens for 3 processes"):
        data.steps(1, three)
    with pytest.raises(TrainError, match="2 windows of 4 tokens for 3 processes"):
        next(data.batches(three, seed=0, epoch=0, position=0, size=1))


@pytest.mark.parametrize(
    ("token", "wide", "said"), [(65_536, False, "2 bytes[\\s\\S]*wide=True"), (-1, True, "4 bytes")]
)
def test_a_token_that_is_too_large_is_said_and_leaves_nothing(
    token: int, wide: bool, said: str, tmp_path: Path
) -> None:
    with pytest.raises(TrainError, match=said):
        tokens.write(tmp_path / "a", [[1, 2], [token]], wide=wide)
    assert list(tmp_path.iterdir()) == []
