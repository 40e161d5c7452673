"""Data preparation: transactions in, arrays that a training loop can hold in memory out.

    python prepare.py --data-dir data                              # generated
    python prepare.py --data-dir data --train fraudTrain.csv --test fraudTest.csv   # Kaggle's files, or parquet
    python prepare.py --data-dir data --bucket s3://data/fraud      # taken from there, or made and put there

Writes ``{train,test}_codes.npy`` (int16 [rows, columns], see features.py), ``{train,test}_label.npy`` and, last,
``meta.json``: a folder with a ``meta.json`` is complete. Needs numpy and pyarrow only.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import time
from pathlib import Path

import bucket
import features
import generate
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

TRAIN_SHARE = 0.7  # Kaggle's files are cut there, by time
META = "meta.json"
ARRAYS = [f"{part}_{name}.npy" for part in ("train", "test") for name in ("codes", "label")]


def read(path: Path) -> features.Columns:
    """The columns that features.py needs, from a CSV or parquet file with the Kaggle set's columns."""
    table = pq.read_table(path) if path.suffix == ".parquet" else pa.csv.read_csv(path)
    missing = {"trans_date_trans_time", "cc_num", "category", "amt", "dob", "lat", "merch_lat"} - set(
        table.column_names
    )
    if missing:
        raise SystemExit(f"error: {path} has no column {', '.join(sorted(missing))}: not the Kaggle fraud set")

    def number(name: str) -> np.ndarray:
        return table[name].to_numpy().astype(np.float64)

    category = pc.index_in(table["category"].cast(pa.string()), pa.array(features.CATEGORIES))
    if category.null_count:
        raise SystemExit(f"error: {path} has a category that is not one of {', '.join(features.CATEGORIES)}")
    return {
        "time": table["trans_date_trans_time"].cast(pa.timestamp("s"), safe=False).cast(pa.int64()).to_numpy(),
        "card": np.unique(table["cc_num"].cast(pa.string()).to_numpy(zero_copy_only=False), return_inverse=True)[1]
        if pa.types.is_floating(table["cc_num"].type)
        else table["cc_num"].to_numpy(),
        "category": category.to_numpy().astype(np.int64),
        "female": pc.equal(table["gender"].cast(pa.string()), "F").to_numpy().astype(np.int64),
        "born": table["dob"].cast(pa.date32()).cast(pa.int32()).to_numpy().astype(np.int64),
        "is_fraud": table["is_fraud"].to_numpy().astype(np.int8),
        **{name: number(name) for name in ("amt", "city_pop", "lat", "long", "merch_lat", "merch_long")},
    }


def from_generator(cards: int, seed: int) -> features.Columns:
    """The same columns straight from generate.py, without a file in between."""
    rows = generate.generate(cards, seed)
    card = rows["card"]
    position = np.array([features.CATEGORIES.index(name) for name in generate.CATEGORIES])
    shown = (generate.FIRST_DAY + generate.SHOWN_LATER).astype("datetime64[s]").astype(np.int64)
    return {
        "time": shown + rows["time"],
        "card": card,
        "category": position[rows["category"]],
        "female": (rows["customer_gender"] == "F").astype(np.int64)[card],
        "born": rows["customer_dob"].astype(np.int64)[card],
        "city_pop": rows["customer_city_pop"][card],
        "lat": rows["customer_lat"][card],
        "long": rows["customer_long"][card],
        **{name: rows[name] for name in ("amt", "merch_lat", "merch_long", "is_fraud")},
    }


def load(args: argparse.Namespace) -> tuple[features.Columns, int]:
    """All rows, training rows first, and how many of them are for training."""
    if not args.train:
        rows = from_generator(args.cards, args.seed)
        return rows, int(len(rows["time"]) * TRAIN_SHARE)
    train, test = read(args.train), read(args.test)
    return {name: np.concatenate([train[name], test[name]]) for name in train}, len(train["time"])


def write(directory: Path, rows: features.Columns, cut: int, recipe: dict) -> None:
    categorical, numeric = features.basic(rows)
    if recipe["history"]:
        numeric |= features.history(rows)
    parts = {"train": slice(0, cut), "test": slice(cut, None)}
    coder = features.Coder.fit(categorical, {name: column[:cut] for name, column in numeric.items()})
    for part, span in parts.items():
        chosen = ({k: v[span] for k, v in columns.items()} for columns in (categorical, numeric))
        np.save(directory / f"{part}_codes.npy", coder.encode(*chosen))
        np.save(directory / f"{part}_label.npy", rows["is_fraud"][span])
    counts = {part: len(rows["time"][span]) for part, span in parts.items()}
    meta = {"recipe": recipe, "rows": counts, "coder": coder.to_json()}
    unfinished = directory / f".{META}.{os.getpid()}"
    unfinished.write_text(json.dumps(meta))
    unfinished.rename(directory / META)


def recipe_of(args: argparse.Namespace) -> dict:
    """What the prepared data depends on; other data in the same folder is made anew."""
    source = (
        [str(args.train.resolve()), str(args.test.resolve())] if args.train else ["generated", args.cards, args.seed]
    )
    return {"version": 7, "source": source, "history": not args.no_history}


def prepare(args: argparse.Namespace) -> dict:
    """Make the data, or reuse it, and return its meta.json. Safe for many processes at once: one works, others wait."""
    directory: Path = args.data_dir
    directory.mkdir(parents=True, exist_ok=True)
    recipe = recipe_of(args)
    with (directory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        meta = directory / META
        if not is_of(recipe, meta):
            meta.unlink(missing_ok=True)
            shared = bucket.Folder(args.bucket) if args.bucket else None
            if shared is None or not fetch(shared, directory, recipe):
                make(args, directory, recipe)
                if shared:
                    share(shared, directory)
        return json.loads(meta.read_text())


def is_of(recipe: dict, meta: Path) -> bool:
    """Whether ``meta`` is there and of the data that ``recipe`` makes."""
    return meta.exists() and json.loads(meta.read_text())["recipe"] == recipe


def make(args: argparse.Namespace, directory: Path, recipe: dict) -> None:
    began = time.perf_counter()
    rows, cut = load(args)
    write(directory, rows, cut, recipe)
    fraud = rows["is_fraud"]
    print(
        f"prepared {len(fraud):,} rows ({cut:,} to train, {fraud[:cut].mean():.4%} fraud; {len(fraud) - cut:,} "
        f"held out, {fraud[cut:].mean():.4%}) in {time.perf_counter() - began:.1f} s",
        flush=True,
    )


def fetch(shared: bucket.Folder, directory: Path, recipe: dict) -> bool:
    """Take the data from a bucket; False where it has none, or other data. Looked at twice: it may change meanwhile."""
    began, meta = time.perf_counter(), directory / f".{META}.fetched"
    there = shared.get(META, meta) and is_of(recipe, meta)
    whole = there and all(shared.get(name, directory / name) for name in ARRAYS)
    if not (whole and shared.get(META, meta) and is_of(recipe, meta)):
        return False
    meta.rename(directory / META)
    print(f"data taken from {shared.url} in {time.perf_counter() - began:.1f} s", flush=True)
    return True


def share(shared: bucket.Folder, directory: Path) -> None:
    """Put the data into a bucket, as in a folder complete with its meta.json."""
    began = time.perf_counter()
    shared.remove(META)
    for name in [*ARRAYS, META]:
        shared.put(name, directory / name)
    print(f"data put into {shared.url} in {time.perf_counter() - began:.1f} s", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that say which data; train.py has them too, so that it can run without a separate step."""
    data = parser.add_argument_group("data")
    data.add_argument("--data-dir", type=Path, default=Path("fraud-data"), help="prepared data, made if missing")
    data.add_argument("--bucket", metavar="s3://BUCKET/PREFIX", help="prepared data for all: taken from there, or put")
    data.add_argument("--train", type=Path, help="Kaggle's fraudTrain.csv, or parquet with its columns")
    data.add_argument("--test", type=Path, help="Kaggle's fraudTest.csv, or parquet with its columns")
    data.add_argument("--cards", type=int, default=1000, help="cards to generate, about 1,850 rows each")
    data.add_argument("--seed", type=int, default=22)
    data.add_argument("--no-history", action="store_true", help="leave out what a card did before")


def check(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    if bool(args.train) != bool(args.test):
        parser.error("--train and --test go together")
    if args.bucket and not args.bucket.startswith(bucket.SCHEME):
        parser.error(f"--bucket {args.bucket}: s3://BUCKET/PREFIX")
    for path in (args.train, args.test):
        if path and not path.is_file():
            parser.error(f"{path}: no such file")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_arguments(parser)
    args = parser.parse_args()
    check(parser, args)
    meta = prepare(args)
    print(f"data ready in {args.data_dir}: {meta['rows']['train']:,} + {meta['rows']['test']:,} rows", flush=True)


if __name__ == "__main__":
    main()
