"""Checkpoints in a bucket, looked at from outside, against a real server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sidings.verify_resume import places
from sidings.verify_resume.bucket import Bucket
from sidings.verify_resume.errors import BucketFailed
from sidings.verify_resume.places import Place
from tests.s3.served import served

pytest.importorskip("obstore")


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    (tmp_path / "s3" / "models").mkdir(parents=True)
    with served(tmp_path / "s3") as environ:
        yield environ


def stored(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / "s3" / "models" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def place_of(tmp_path: Path, environ: dict[str, str]) -> Place:
    return places.of(tmp_path / "calm", ("--checkpoints", "s3://models/run/"), tmp_path, environ)


def test_a_run_has_a_prefix_of_its_own(tmp_path: Path, environ: dict[str, str]) -> None:
    place = place_of(tmp_path, environ)
    assert place.arguments == ("--checkpoints", "s3://models/run/calm")
    stored(tmp_path, "run/stormy/step-1.pt", "1")
    assert (place.taken, place.has_checkpoint, place.newest_checkpoint(), place.tear_newest()) == ("", False, None, "")
    stored(tmp_path, "run/calm/notes.txt", "1")
    assert (place.taken, place.has_checkpoint) == ("s3://models/run/calm", False)


def test_the_newest_is_fetched_torn_and_removed(tmp_path: Path, environ: dict[str, str]) -> None:
    place = place_of(tmp_path, environ)
    stored(tmp_path, "run/calm/step-1.pt", "older")
    newest = stored(tmp_path, "run/calm/step-2.pt", "newest")
    fetched = place.newest_checkpoint()
    assert fetched is not None
    assert (fetched.name, fetched.read_text()) == ("step-2.pt", "newest")
    assert place.tear_newest() == "step-2.pt"
    assert newest.read_text() == "new"
    other = stored(tmp_path, "run/stormy/step-1.pt", "1")
    place.remove()
    assert place.bucket is not None
    assert place.bucket.objects() == []
    assert other.exists()


def test_a_sharded_checkpoint_is_fetched_whole(tmp_path: Path, environ: dict[str, str]) -> None:
    for name in (".metadata", "__0_0.distcp", "__1_0.distcp"):
        stored(tmp_path, f"run/calm/step-2/a/{name}", name)
    fetched = place_of(tmp_path, environ).newest_checkpoint()
    assert fetched is not None
    assert sorted(path.name for path in fetched.iterdir()) == [".metadata", "__0_0.distcp", "__1_0.distcp"]


def test_what_cannot_be_reached_says_what_to_set(environ: dict[str, str]) -> None:
    with pytest.raises(BucketFailed, match="s3://models/run cannot be read") as caught:
        Bucket("s3://models/run", environ | {"AWS_SECRET_ACCESS_KEY": "wrong"}).objects()
    assert "AWS_ACCESS_KEY_ID" in caught.value.remedy
