from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sidings_train import NotThereError, StorageError
from sidings_train.storage.directory import Directory
from sidings_train.storage.memory import Memory
from sidings_train.storage.place import Place
from sidings_train.storage.places import place_of


@pytest.fixture(params=["directory", "memory"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    return Directory(tmp_path / "new" / "place") if request.param == "directory" else Memory()


def test_what_is_written_is_listed_and_read(place: Place) -> None:
    assert place.list() == {}
    with place.create("step-1/a/data") as sink:
        sink.write(b"0123")
        sink.write(memoryview(b"456789"))
    place.put("step-1/a/manifest.json", b"{}")
    place.put("step-2/a/manifest.json", b"")
    assert place.list("step-1/") == {"step-1/a/data": 10, "step-1/a/manifest.json": 2}
    assert place.list() == {**place.list("step-1/"), "step-2/a/manifest.json": 0}
    assert place.get("step-1/a/data") == b"0123456789"
    assert place.read("step-1/a/data", 3, 4) == b"3456"
    assert place.read("step-1/a/data", 8, 4) == b"89"


def test_what_is_deleted_is_gone_and_may_be_deleted_again(place: Place) -> None:
    place.put("step-1/a/x", b"1")
    place.put("step-1/b/y", b"2")
    place.delete(["step-1/a/x", "step-1/a/never"])
    place.delete(["step-1/a/x"])
    assert place.list() == {"step-1/b/y": 1}


def test_what_is_not_there_is_said(place: Place) -> None:
    with pytest.raises(NotThereError, match="not there"):
        place.get("step-1/a/x")
    with pytest.raises(NotThereError):
        place.read("step-1/a/x", 0, 1)


def test_a_file_is_written_once(tmp_path: Path) -> None:
    place = Directory(tmp_path)
    place.put("x", b"1")
    with pytest.raises(StorageError, match="File exists"), place.create("x"):
        pass
    assert place.get("x") == b"1"


def test_deleting_leaves_no_empty_folders(tmp_path: Path) -> None:
    place = Directory(tmp_path)
    place.put("step-1/a/x", b"1")
    place.delete(["step-1/a/x"])
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_the_disk_refuses_names_the_remedy(tmp_path: Path) -> None:
    with (
        pytest.raises(
            StorageError, match=r"cannot write .*/x\n  cause: No space left on device\nhelp: make room: df -h"
        ),
        Directory(tmp_path).create("x"),
    ):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_path_through_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="a part of the path is a file"):
        Directory(tmp_path / "file").put("step-1/a/x", b"")


def test_one_syntax() -> None:
    assert place_of("relative/path").url == "relative/path"
    assert place_of(Path("/mnt/claim")).url == "/mnt/claim"
    assert place_of("file:///mnt/my%20claim").url == "/mnt/my claim"
    assert place_of("s3://bucket/a/b/").url == "s3://bucket/a/b"
    assert place_of("s3://bucket").url == "s3://bucket"


@pytest.mark.parametrize(
    ("url", "said"), [("gs://bucket/x", "cannot go to gs://"), ("s3:///x", "names no bucket"), ("", "is empty")]
)
def test_other_syntax_is_refused(url: str, said: str) -> None:
    with pytest.raises(StorageError, match=said):
        place_of(url)
