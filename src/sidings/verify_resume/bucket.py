"""Checkpoints of a run in a bucket, looked at from outside: listed, fetched to be compared, torn, deleted.

The script reaches its bucket by whatever it uses; here it is obstore, with the variables that S3 clients share.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from sidings.verify_resume.errors import BucketFailed

if TYPE_CHECKING:
    from obstore.store import S3Store

SCHEME = "s3://"
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_S3_ENDPOINT")
_NEEDED = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, unless it is Amazon's, AWS_ENDPOINT_URL"
_ABSENT = "pip install 'sidings[s3]'"


def endpoint(environ: Mapping[str, str]) -> str:
    """The server that the environment names; ``""`` for Amazon's."""
    return next((environ[name] for name in _ENDPOINTS if environ.get(name)), "")


class Stored(NamedTuple):
    """An object: its name below the prefix, and when it was written."""

    name: str
    at: datetime


class Bucket:
    """What lies below ``url``, ``s3://BUCKET/PREFIX``. Every call raises ``BucketFailed`` with what can be done."""

    def __init__(self, url: str, environ: Mapping[str, str]) -> None:
        self.url = url
        with self._explained():
            self._store = _open(url, environ)

    def objects(self) -> list[Stored]:
        with self._explained():
            return [Stored(item["path"], item["last_modified"]) for page in self._store.list() for item in page]

    def fetch(self, names: Iterable[str], folder: Path) -> None:
        """Write the objects to files of their names in ``folder``."""
        for name in names:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with self._explained(), path.open("wb") as file:
                for chunk in self._store.get(name):
                    file.write(chunk)

    def tear(self, name: str) -> None:
        """Cut the object in half."""
        with self._explained():
            whole = bytes(self._store.get(name).bytes())
            self._store.put(name, whole[: len(whole) // 2])

    def remove(self) -> None:
        """Delete everything."""
        with self._explained():
            self._store.delete([stored.name for stored in self.objects()])

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            from obstore.exceptions import BaseError
        except ImportError as error:
            raise BucketFailed(f"{self.url} needs the package obstore", cause=str(error), remedy=_ABSENT) from error
        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            cause = str(error).partition("\n")[0]
            raise BucketFailed(f"{self.url} cannot be read or written", cause=cause, remedy=f"set {_NEEDED}") from error


def _open(url: str, environ: Mapping[str, str]) -> S3Store:
    from obstore.store import S3Store

    bucket, _, prefix = url.removeprefix(SCHEME).partition("/")
    server = endpoint(environ)
    known = {
        "endpoint": server,
        "region": environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        "access_key_id": environ.get("AWS_ACCESS_KEY_ID", ""),
        "secret_access_key": environ.get("AWS_SECRET_ACCESS_KEY", ""),
        "session_token": environ.get("AWS_SESSION_TOKEN", ""),
    }
    return S3Store(
        bucket,
        prefix=prefix or None,
        client_options={"allow_http": urlsplit(server).scheme == "http"},
        **{name: value for name, value in known.items() if value},  # type: ignore[arg-type]
    )
