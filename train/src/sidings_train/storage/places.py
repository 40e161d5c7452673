"""One syntax for every place: a path (a claim is the path at which it is mounted), ``file://`` or ``s3://bucket/prefix``."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sidings_train.errors import StorageError
from sidings_train.storage.bucket import Bucket
from sidings_train.storage.directory import Directory
from sidings_train.storage.place import Place


def place_of(url: str | os.PathLike[str]) -> Place:
    """The place that ``url`` names; opens nothing yet, except that ``s3://`` wants obstore installed."""
    text = os.fspath(url)
    if not text:
        raise StorageError(
            "a checkpoint's place is empty", remedy="name a path, or s3://BUCKET/PREFIX; . is this folder"
        )
    scheme, separator, rest = text.partition("://")
    if not separator:
        return Directory(Path(text))
    if scheme == "file":
        return Directory(Path(unquote(urlsplit(text).path)))
    if scheme == "s3":
        bucket, _, prefix = rest.partition("/")
        if not bucket:
            raise StorageError(f"{text} names no bucket", remedy="s3://BUCKET/PREFIX")
        return Bucket(bucket, prefix.strip("/"))
    raise StorageError(
        f"{text}: checkpoints cannot go to {scheme}://",
        remedy="name a path, file:///path, or s3://BUCKET/PREFIX; a claim is named by the path at which it is mounted",
    )
