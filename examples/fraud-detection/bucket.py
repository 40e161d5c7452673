"""Files in a bucket, by pyarrow's own S3 client: data preparation needs nothing more than it does without one.

Where the bucket is and who asks is in the environment, as an OpenShift AI data connection puts it there:
``AWS_S3_ENDPOINT`` (or ``AWS_ENDPOINT_URL``), ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_DEFAULT_REGION``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyarrow import fs

SCHEME = "s3://"
VARIABLES = "AWS_S3_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"


class Folder:
    """What lies below ``url``, s3://BUCKET/PREFIX. Whatever goes wrong there ends the script, with the reason."""

    def __init__(self, url: str) -> None:
        self.url = url.rstrip("/")
        self._path = self.url.removeprefix(SCHEME)
        endpoint = os.environ.get("AWS_ENDPOINT_URL") or os.environ.get("AWS_S3_ENDPOINT") or ""
        scheme, _, host = endpoint.rstrip("/").rpartition("://")
        region = os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION")
        self._store = fs.S3FileSystem(endpoint_override=host or None, scheme=scheme or "https", region=region)

    def get(self, name: str, to: Path) -> bool:
        """Copy the object ``name`` to a file; False where there is none."""
        with self._reasons():
            try:
                source = self._store.open_input_stream(f"{self._path}/{name}")
            except FileNotFoundError:
                return False
            with source, to.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
        return True

    def put(self, name: str, source: Path) -> None:
        with (
            self._reasons(),
            source.open("rb") as file,
            self._store.open_output_stream(f"{self._path}/{name}") as target,
        ):
            shutil.copyfileobj(file, target, 8 << 20)

    def remove(self, name: str) -> None:
        """Nothing where there is none."""
        with self._reasons():
            if self._store.get_file_info(f"{self._path}/{name}").type is fs.FileType.File:
                self._store.delete_file(f"{self._path}/{name}")

    @contextmanager
    def _reasons(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise SystemExit(
                f"error: {self.url}: {error}\nhelp: the bucket's place and keys are in {VARIABLES}"
            ) from None
