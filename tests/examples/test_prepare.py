"""The same transactions, generated, from CSV and from parquet, become the same arrays."""

import argparse
import json
import threading
from pathlib import Path

import generate
import numpy as np
import prepare
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

CARDS, SEED = 12, 5


def args(directory: Path, *options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    prepare.add_arguments(parser)
    found = parser.parse_args(["--data-dir", str(directory), "--cards", str(CARDS), "--seed", str(SEED), *options])
    prepare.check(parser, found)
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kaggle's two files (with its nameless index column), and the same as parquet."""
    folder = tmp_path_factory.mktemp("files")
    table = generate.to_table(generate.generate(CARDS, SEED))
    cut = int(table.num_rows * prepare.TRAIN_SHARE)
    for name, part in (("train", table.slice(0, cut)), ("test", table.slice(cut))):
        pq.write_table(part, folder / f"{name}.parquet")
        plain = pa.table({field.name: part[field.name].cast(_plain(field.type)) for field in part.schema})
        pa.csv.write_csv(plain.add_column(0, "", pa.array(range(part.num_rows))), folder / f"{name}.csv")
    return folder


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_and_generator_agree(files: Path, tmp_path: Path, suffix: str) -> None:
    prepare.prepare(args(tmp_path / "generated"))
    prepare.prepare(
        args(tmp_path / "read", "--train", str(files / f"train.{suffix}"), "--test", str(files / f"test.{suffix}"))
    )
    for name in ("train_codes", "train_label", "test_codes", "test_label"):
        generated, read = (np.load(tmp_path / where / f"{name}.npy") for where in ("generated", "read"))
        assert generated.shape == read.shape
        assert (generated != read).mean() < 0.001  # CSV and the generator may round a boundary differently


def test_prepared_data_is_reused_and_other_data_made_anew(tmp_path: Path) -> None:
    prepare.prepare(args(tmp_path))
    made = (tmp_path / "meta.json").stat().st_mtime_ns
    prepare.prepare(args(tmp_path))
    assert (tmp_path / "meta.json").stat().st_mtime_ns == made
    meta = prepare.prepare(args(tmp_path, "--no-history"))
    assert "habit" not in meta["coder"]["sizes"]


def test_many_at_once_prepare_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found: list[dict[str, object]] = []
    threads = [threading.Thread(target=lambda: found.append(prepare.prepare(args(tmp_path)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert capsys.readouterr().out.count("prepared ") == 1
    assert all(meta == found[0] for meta in found)
    assert json.loads((tmp_path / "meta.json").read_text()) == found[0]


def test_another_table_is_refused_in_words(tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="not the Kaggle fraud set"):
        prepare.read(other)


def test_options_that_miss_their_other_half(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        args(tmp_path, "--train", "x.csv")
    with pytest.raises(SystemExit):
        args(tmp_path, "--train", "nowhere.csv", "--test", "nowhere.csv")
