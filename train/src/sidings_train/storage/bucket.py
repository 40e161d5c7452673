"""A place in an S3 bucket, through obstore (the extra ``[s3]``).

Endpoint and credentials come from the environment, under AWS's names or those of an OpenShift AI data connection
(``AWS_S3_ENDPOINT``). Uploads are multipart and stream; a part that fails is tried again for a bounded time, so that a
server that is gone ends in an error and not in a hang.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from sidings_train.errors import NotThereError, StorageError
from sidings_train.storage.place import Sink

if TYPE_CHECKING:
    from obstore import WritableFile
    from obstore.store import S3Config

_TRIES = 5
_PATIENCE = timedelta(seconds=60)  # for one request with all its repetitions
_PART = 16 << 20  # bytes of one part of an upload; S3 allows 10,000 of them: files to 160 GB
_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_S3_ENDPOINT")
_NEEDED = "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, unless it is Amazon's, AWS_ENDPOINT_URL"


class Bucket:
    """Objects under ``prefix`` of ``bucket``."""

    def __init__(self, bucket: str, prefix: str, env: Mapping[str, str] | None = None) -> None:
        self._bucket, self._prefix = bucket, prefix
        self._obstore, self._store = _open(bucket, prefix, os.environ if env is None else env)

    @property
    def url(self) -> str:
        return f"s3://{self._bucket}/{self._prefix}".rstrip("/")

    @contextmanager
    def create(self, name: str) -> Iterator[Sink]:
        with self._explained("write", name):
            writer = self._obstore.open_writer(self._store, name, buffer_size=_PART)
            yield _Upload(writer)
            writer.close()  # not when the block failed: an upload that is never completed shows no object

    def put(self, name: str, data: bytes) -> None:
        with self._explained("write", name):
            self._obstore.put(self._store, name, data, use_multipart=False)

    def get(self, name: str) -> bytes:
        with self._explained("read", name):
            return bytes(self._obstore.get(self._store, name).bytes())

    def read(self, name: str, offset: int, length: int) -> bytes:
        with self._explained("read", name):
            return bytes(self._obstore.get_range(self._store, name, start=offset, length=length))

    def list(self, prefix: str = "") -> dict[str, int]:
        folder, _, _ = prefix.rpartition("/")  # S3 lists whole folders; the rest of the prefix is looked at here
        with self._explained("list", prefix):
            pages = self._obstore.list(self._store, prefix=folder or None)
            found = {item["path"]: item["size"] for page in pages for item in page}
        return {name: size for name, size in found.items() if name.startswith(prefix)}

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            try:
                with self._explained("delete", name):
                    self._obstore.delete(self._store, name)
            except NotThereError:
                continue

    @contextmanager
    def _explained(self, verb: str, name: str) -> Iterator[None]:
        from obstore import exceptions

        try:
            yield
        except (exceptions.BaseError, OSError) as error:
            raise self._explanation(error, verb, name) from error

    def _explanation(self, error: Exception, verb: str, name: str) -> StorageError:
        from obstore import exceptions

        what = f"cannot {verb} {self.url}/{name}"
        if "NoSuchBucket" in str(error):
            return StorageError(
                f"{what}: there is no bucket {self._bucket!r}",
                remedy=f"create it: aws s3 mb s3://{self._bucket}; or look at AWS_ENDPOINT_URL",
            )
        if isinstance(error, FileNotFoundError | exceptions.NotFoundError):
            return NotThereError(f"{what}: not there")
        if isinstance(error, exceptions.PermissionDeniedError | exceptions.UnauthenticatedError):
            return StorageError(f"{what}: refused", cause=_short(error), remedy=f"look at the credentials: {_NEEDED}")
        return StorageError(what, cause=_short(error), remedy=f"look at the server and at {_NEEDED}")


class _Upload:
    """A sink that gives obstore bytes of its own: it keeps what it is given and sends it later."""

    def __init__(self, writer: WritableFile) -> None:
        self._writer = writer

    def write(self, data: bytes | memoryview) -> int:
        return self._writer.write(bytes(data))


def _open(bucket: str, prefix: str, env: Mapping[str, str]) -> tuple[Any, Any]:
    try:
        import obstore
        from obstore.store import S3Store
    except ImportError as error:
        raise StorageError(
            f"s3://{bucket} needs the package obstore", remedy="pip install 'sidings-train[s3]', or pip install obstore"
        ) from error
    endpoint = next((env[name] for name in _ENDPOINTS if env.get(name)), None)
    known = {
        "endpoint": endpoint,
        "region": env.get("AWS_REGION") or env.get("AWS_DEFAULT_REGION") or "us-east-1",
        "access_key_id": env.get("AWS_ACCESS_KEY_ID"),
        "secret_access_key": env.get("AWS_SECRET_ACCESS_KEY"),
        "session_token": env.get("AWS_SESSION_TOKEN"),
    }
    return obstore, S3Store(
        bucket,
        prefix=prefix or None,
        config=cast("S3Config", {name: value for name, value in known.items() if value}),
        client_options={"allow_http": urlsplit(endpoint or "").scheme == "http", "timeout": _PATIENCE},
        retry_config={"max_retries": _TRIES, "retry_timeout": _PATIENCE},
    )


def _short(error: Exception) -> str:
    """What obstore's message says in its first line; it goes on with the whole error as Rust prints it."""
    return str(error).partition("\n\n")[0].splitlines()[0][:300]
