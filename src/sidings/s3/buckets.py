"""Buckets in a folder: one folder a bucket, one file an object.

An object appears whole or not at all: it is written aside (``.incoming``), synced, and renamed. The rename and the
conditions of a write are one step of one thread, so two writers with ``If-None-Match: *`` cannot both succeed. An ETag
is made of the file's time and size, hence files that somebody put there have one too; it is not the MD5, which S3 does
not promise either and which the ``-1`` at its end says. Files cannot be what a filesystem cannot hold: an object
``a`` beside objects ``a/b`` is refused.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from sidings.s3.errors import S3Error

INCOMING = ".incoming"
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_LONGEST_NAME = 255


class Found(NamedTuple):
    """An object: its file, its size in bytes, its change (seconds), its ETag with the quotes."""

    path: Path
    size: int
    changed: float
    etag: str


class Buckets:
    """What lies in ``root``."""

    def __init__(self, root: Path) -> None:
        """What was being written when the former server ended is deleted."""
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(root / INCOMING, ignore_errors=True)
        (root / INCOMING).mkdir()

    def names(self) -> list[str]:
        return sorted(path.name for path in self.root.iterdir() if path.is_dir() and _BUCKET.fullmatch(path.name))

    def create(self, bucket: str) -> None:
        if not _BUCKET.fullmatch(bucket):
            raise S3Error("InvalidBucketName", "3 to 63 lower-case letters, digits, dots and hyphens make a bucket.")
        try:
            (self.root / bucket).mkdir()
        except FileExistsError as error:
            raise S3Error("BucketAlreadyOwnedByYou", f"The bucket {bucket} is there already.") from error

    def remove(self, bucket: str) -> None:
        if next(self.keys(bucket), None) is not None:
            raise S3Error("BucketNotEmpty", "The bucket you tried to delete is not empty")
        shutil.rmtree(self.folder(bucket))

    def folder(self, bucket: str) -> Path:
        path = self.root / bucket
        if not _BUCKET.fullmatch(bucket) or not path.is_dir():
            raise S3Error("NoSuchBucket", f"The specified bucket does not exist: {bucket}")
        return path

    def keys(self, bucket: str, prefix: str = "", after: str = "", *, one_a_folder: bool = False) -> Iterator[str]:
        """Those with ``prefix`` that come after ``after``, in the order of S3, which is that of the whole key.

        ``one_a_folder``: of each folder directly below the prefix's only one key, which says that it is not empty.
        Folders without any key that is asked for are not read, so a page costs what it shows, not what lies before.
        """
        base, slash, begins = prefix.rpartition("/")
        if base and not _is_plain(base):
            return
        above = base + slash
        for name in _names(self.folder(bucket) / base, above, after):
            if not name.startswith(begins):
                continue
            if not name.endswith("/"):
                yield above + name
            elif not one_a_folder:
                yield from _walk(self.folder(bucket) / base / name, above + name, after)
            elif above + name > after:
                yield from islice(_walk(self.folder(bucket) / base / name, above + name, ""), 1)

    def find(self, bucket: str, key: str) -> Found:
        path = self._path(bucket, key)
        found = _found(path)
        if found is None:
            raise S3Error("NoSuchKey", f"The specified key does not exist: {key}")
        return found

    def incoming(self) -> Path:
        """Where to write what will be an object; same filesystem as all buckets."""
        return self.root / INCOMING / uuid.uuid4().hex

    def check(self, bucket: str, key: str) -> None:
        """Raises ``S3Error`` where ``key`` cannot be written, before its bytes are read."""
        self._path(bucket, key)

    def commit(self, file: Path, bucket: str, key: str, *, only_new: bool = False, only_over: str = "") -> Found:
        """Make ``file``, which is complete and synced, the object ``key``, unless it is there or is another."""
        path = self._path(bucket, key)
        present = _found(path)
        if (only_new and present) or (only_over and (present is None or present.etag != only_over)):
            raise S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file.replace(path)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise S3Error("ObjectIsPrefix", f"{key}: a folder holds no object of the name of a folder") from error
        made = _found(path)
        assert made is not None, "it was renamed to here in this very step"
        return made

    def make_folder(self, bucket: str, key: str) -> None:
        """``key/``, by which some clients mark a folder."""
        self._path(bucket, key.rstrip("/")).mkdir(parents=True, exist_ok=True)

    def delete(self, bucket: str, key: str) -> None:
        """As S3: no error where there is none. Folders that became empty go too."""
        path, top = self._path(bucket, key.rstrip("/")), self.folder(bucket)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
            path.unlink()
        with contextlib.suppress(OSError):  # not empty
            for folder in (path, *path.parents):
                if folder == top:
                    break
                if folder.exists():
                    folder.rmdir()

    def _path(self, bucket: str, key: str) -> Path:
        folder = self.folder(bucket)
        if not _is_plain(key):
            raise S3Error("InvalidArgument", f"{key!r} cannot be the name of a file: no empty part, no '.' and '..'.")
        return folder / key


def sync(file: Path) -> None:
    """Until it is on the disk. Blocks."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_plain(key: str) -> bool:
    parts = key.split("/")
    return "\0" not in key and all(
        part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_NAME for part in parts
    )


def _found(path: Path) -> Found | None:
    try:
        stat = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not path.is_file():
        return None
    return Found(path, stat.st_size, stat.st_mtime, f'"{stat.st_mtime_ns:016x}{stat.st_size:016x}-1"')


def _walk(folder: Path, above: str, after: str) -> Iterator[str]:
    for name in _names(folder, above, after):
        if name.endswith("/"):
            yield from _walk(folder / name, above + name, after)
        else:
            yield above + name


def _names(folder: Path, above: str, after: str) -> list[str]:
    """What lies in ``folder``, whose keys begin with ``above``: files after ``after``, and folders (with a slash at the
    end) that may hold some."""
    try:
        with os.scandir(folder) as entries:
            names = [each.name + "/" if each.is_dir() else each.name for each in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return sorted(
        name for name in names if above + name > after or (name[-1] == "/" and after.startswith(above + name))
    )
