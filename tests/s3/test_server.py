"""The server as a process, used by the training library: checkpoints of several pieces go there and come back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.s3.served import served

pytest.importorskip("obstore")
bucket = pytest.importorskip("sidings_train.storage.bucket")
errors = pytest.importorskip("sidings_train.errors")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("root")
    (folder / "data").mkdir()
    return folder


@pytest.fixture(scope="module")
def environ(root: Path) -> Iterator[dict[str, str]]:
    with served(root) as environ:
        yield environ


def test_what_is_written_is_listed_read_in_parts_and_deleted(root: Path, environ: dict[str, str]) -> None:
    place = bucket.Bucket("data", "run/1", environ)
    whole = bytes(range(256)) * (40 << 12)  # 40 MiB: three parts of an upload
    with place.create("step-1/a/piece") as sink:
        sink.write(whole)
    place.put("step-1/a/manifest.json", b"{}")
    assert place.list("step-1/") == {"step-1/a/manifest.json": 2, "step-1/a/piece": len(whole)}
    assert place.read("step-1/a/piece", 300, 5) == whole[300:305]
    assert (root / "data/run/1/step-1/a/piece").read_bytes() == whole
    place.delete(["step-1/a/piece", "step-1/a/manifest.json", "step-1/a/none"])
    assert place.list() == {}


def test_an_upload_that_fails_shows_no_object(environ: dict[str, str]) -> None:
    place = bucket.Bucket("data", "torn", environ)
    with pytest.raises(KeyError), place.create("piece") as sink:
        sink.write(b"x" * (20 << 20))
        raise KeyError
    assert place.list() == {}


def test_what_is_wrong_is_told_apart(environ: dict[str, str]) -> None:
    with pytest.raises(errors.NotThereError):
        bucket.Bucket("data", "", environ).get("none")
    with pytest.raises(errors.StorageError, match="there is no bucket 'gone'"):
        bucket.Bucket("gone", "", environ).put("a", b"1")
    with pytest.raises(errors.StorageError, match="refused"):
        bucket.Bucket("data", "", {**environ, "AWS_SECRET_ACCESS_KEY": "wrong"}).put("a", b"1")
