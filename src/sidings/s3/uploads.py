"""Multipart uploads: parts are files aside until the client says which of them make the object.

They lie in ``.incoming/upload-ID``. When the server ends its uploads are gone, and clients begin anew.
"""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path

from sidings.s3.buckets import INCOMING, Buckets, sync
from sidings.s3.errors import S3Error

MOST_PARTS = 10_000


class Uploads:
    """Those of one server."""

    def __init__(self, buckets: Buckets) -> None:
        self._root = buckets.root / INCOMING
        self._keys: dict[str, tuple[str, str]] = {}

    def begin(self, bucket: str, key: str) -> str:
        """Its id."""
        upload = uuid.uuid4().hex
        (self._root / f"upload-{upload}").mkdir()
        self._keys[upload] = (bucket, key)
        return upload

    def part(self, upload: str, bucket: str, key: str, number: str) -> Path:
        """Where a part lies once it is complete."""
        folder = self._folder(upload, bucket, key)
        if not number.isdecimal() or not 1 <= int(number) <= MOST_PARTS:
            raise S3Error("InvalidArgument", f"Part number must be an integer between 1 and {MOST_PARTS}, inclusive")
        return folder / f"{int(number):05d}"

    def parts(self, upload: str, bucket: str, key: str) -> list[Path]:
        return sorted(self._folder(upload, bucket, key).iterdir())

    def join(self, upload: str, bucket: str, key: str, numbers: Sequence[int]) -> Path:
        """One synced file of the parts ``numbers``, to commit. Blocks."""
        folder = self._folder(upload, bucket, key)
        if list(numbers) != sorted(set(numbers)) or not numbers:
            raise S3Error("InvalidPart", "Parts are to be named once each and in ascending order.")
        paths = [folder / f"{number:05d}" for number in numbers]
        if missing := [path.name for path in paths if not path.exists()]:
            raise S3Error("InvalidPart", f"Part {int(missing[0])} could not be found.")
        whole = folder / "whole"
        paths[0].replace(whole)
        with whole.open("ab") as target:
            for path in paths[1:]:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, target, 1 << 20)
                path.unlink()
        sync(whole)
        return whole

    def forget(self, upload: str, bucket: str, key: str) -> None:
        shutil.rmtree(self._folder(upload, bucket, key))
        del self._keys[upload]

    def _folder(self, upload: str, bucket: str, key: str) -> Path:
        if self._keys.get(upload) != (bucket, key):
            raise S3Error("NoSuchUpload", "The specified upload does not exist.")
        return self._root / f"upload-{upload}"


def part_etag(path: Path) -> str:
    stat = path.stat()
    return f'"{stat.st_mtime_ns:016x}{stat.st_size:016x}"'
