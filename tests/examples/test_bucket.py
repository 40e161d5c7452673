"""Prepared data in a bucket, by the S3 in the box: made once, taken by others, made anew where it is of other data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.examples.conftest import EXAMPLE
from tests.s3.served import served


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "data").mkdir(parents=True)
    return folder


@pytest.fixture
def environ(root: Path) -> Iterator[dict[str, str]]:
    with served(root) as environ:
        # As a data connection has it, with its own name for the place.
        endpoint = environ.pop("AWS_ENDPOINT_URL")
        yield os.environ | environ | {"AWS_S3_ENDPOINT": endpoint, "AWS_DEFAULT_REGION": "us-east-1"}


def prepare(environ: dict[str, str], directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    where = ["--data-dir", str(directory), "--bucket", "s3://data/fraud"]
    command = [sys.executable, str(EXAMPLE / "prepare.py"), *where, "--cards", "20", *options]
    return subprocess.run(command, env=environ, capture_output=True, text=True)


def test_data_is_made_once_and_taken_by_all_others(root: Path, environ: dict[str, str], tmp_path: Path) -> None:
    first = prepare(environ, tmp_path / "first")
    assert "prepared" in first.stdout and "data put into s3://data/fraud" in first.stdout, first.stderr
    assert (root / "data/fraud/meta.json").is_file()
    second = prepare(environ, tmp_path / "second")
    assert "data taken from s3://data/fraud" in second.stdout and "prepared" not in second.stdout, second.stderr
    for name in ("train_codes.npy", "train_label.npy", "test_codes.npy", "test_label.npy"):
        assert np.array_equal(np.load(tmp_path / "first" / name), np.load(tmp_path / "second" / name))
    again = prepare(environ, tmp_path / "second")
    assert again.stdout.startswith("data ready"), "what is here is not asked for"

    other = prepare(environ, tmp_path / "third", "--no-history")
    assert "data put into" in other.stdout, "data of another recipe takes its place"
    (root / "data/fraud/test_label.npy").unlink()
    torn = prepare(environ, tmp_path / "fourth", "--no-history")
    assert "data put into" in torn.stdout, "what is not whole is made again"


def test_a_bucket_that_is_not_there_and_keys_that_are_wrong_are_said(
    root: Path, environ: dict[str, str], tmp_path: Path
) -> None:
    refused = prepare(environ | {"AWS_SECRET_ACCESS_KEY": "other"}, tmp_path / "a")
    assert refused.returncode == 1
    assert "error: s3://data/fraud: " in refused.stderr and "AWS_SECRET_ACCESS_KEY" in refused.stderr
    (root / "data").rmdir()
    missing = prepare(environ, tmp_path / "b")
    assert missing.returncode == 1
    assert "NO_SUCH_BUCKET" in missing.stderr and "Traceback" not in missing.stderr


def test_a_path_is_no_bucket(tmp_path: Path) -> None:
    done = prepare(dict(os.environ), tmp_path, "--bucket", "/data/fraud")
    assert done.returncode == 2
    assert "--bucket /data/fraud: s3://BUCKET/PREFIX" in done.stderr
