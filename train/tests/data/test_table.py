from __future__ import annotations

import pytest
import torch

from sidings_train import TrainError, World
from sidings_train.data.table import Table

CPU = torch.device("cpu")


def columns() -> dict[str, torch.Tensor]:
    return {"codes": torch.arange(20, dtype=torch.int16).reshape(10, 2), "label": torch.arange(10.0)}


def test_batches_are_rows_of_all_columns(alone: World) -> None:
    table = Table(columns(), CPU)
    batches = list(table.batches(alone, seed=1, epoch=0, position=0, size=4))
    assert [batch.of_all for batch in batches] == [4, 4, 2]
    assert table.steps(4, alone) == 3
    labels = torch.cat([batch.columns["label"] for batch in batches])
    assert sorted(labels.tolist()) == list(range(10))
    for batch in batches:
        assert torch.equal(batch.columns["codes"][:, 0], (2 * batch.columns["label"]).to(torch.int16))


def test_from_a_position_on_the_batches_are_the_same(alone: World) -> None:
    table = Table(columns(), CPU)
    whole = [batch.columns["label"].tolist() for batch in table.batches(alone, seed=1, epoch=2, position=0, size=3)]
    rest = [batch.columns["label"].tolist() for batch in table.batches(alone, seed=1, epoch=2, position=6, size=3)]
    assert rest == whole[2:]


def test_a_fingerprint_tells_data_apart() -> None:
    fingerprint = Table(columns(), CPU).fingerprint
    assert fingerprint == Table(dict(reversed(columns().items())), CPU).fingerprint
    changed = columns()
    changed["label"][3] += 1
    assert fingerprint != Table(changed, CPU).fingerprint
    assert fingerprint != Table({**columns(), "label": columns()["label"].double()}, CPU).fingerprint


def test_columns_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="'label': 9"):
        Table({**columns(), "label": torch.zeros(9)}, CPU)


def test_a_table_without_rows_is_refused_at_the_first_epoch(alone: World) -> None:
    table = Table({"x": torch.zeros(0)}, CPU)
    with pytest.raises(TrainError, match="0 rows for 1 processes"):
        table.steps(4, alone)
    with pytest.raises(TrainError, match="0 rows for 1 processes"):
        next(table.batches(alone, seed=0, epoch=0, position=0, size=4))
