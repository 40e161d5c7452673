"""A place in an S3 bucket, through obstore (the extra ``[s3]``).

``connection`` says where and as whom, ``refusals`` what an error means. Uploads are multipart and stream; a part that
fails is tried again for a bounded time, so that a server that is gone ends in an error and not in a hang.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, cast

from sidings_train.errors import NotThereError, StorageError
from sidings_train.storage.connection import Connection, from_environment
from sidings_train.storage.place import Sink
from sidings_train.storage.refusals import explained

if TYPE_CHECKING:
    from obstore import WritableFile
    from obstore.store import S3Config

_TRIES = 5
_PATIENCE = timedelta(seconds=60)  # for one request with all its repetitions
_PART = 16 << 20  # bytes of one part of an upload; S3 allows 10,000 of them: files to 160 GB


class Bucket:
    """Objects under ``prefix`` of ``bucket``."""

    def __init__(self, bucket: str, prefix: str, env: Mapping[str, str] | None = None) -> None:
        self._bucket, self._prefix = bucket, prefix
        self._connection = from_environment(os.environ if env is None else env)
        self._obstore, self._store = _open(bucket, prefix, self._connection)

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
            missing = isinstance(error, FileNotFoundError | exceptions.NotFoundError)
            what = f"cannot {verb} {self.url}/{name} at {self._connection.place}"
            raise explained(str(error), what, self._bucket, missing) from error


class _Upload:
    """A sink that gives obstore bytes of its own: it keeps what it is given and sends it later."""

    def __init__(self, writer: WritableFile) -> None:
        self._writer = writer

    def write(self, data: bytes | memoryview) -> int:
        return self._writer.write(bytes(data))


def _open(bucket: str, prefix: str, connection: Connection) -> tuple[Any, Any]:
    try:
        import obstore
        from obstore.store import S3Store
    except ImportError as error:
        raise StorageError(
            f"s3://{bucket} needs the package obstore", remedy="pip install 'sidings-train[s3]', or pip install obstore"
        ) from error
    return obstore, S3Store(
        bucket,
        prefix=prefix or None,
        config=cast("S3Config", dict(connection.config)),
        client_options={"allow_http": connection.plain, "timeout": _PATIENCE},
        retry_config={"max_retries": _TRIES, "retry_timeout": _PATIENCE},
    )
