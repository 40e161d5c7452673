"""What a checkpoint needs of a place, so that directories and buckets are the same to it.

Names are relative, with ``/`` between their parts. A file is written once and never changed; ``put`` shows it whole
or not at all. Nothing is ever renamed: buckets cannot.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol


class Sink(Protocol):
    """A file being written."""

    def write(self, data: bytes | memoryview) -> int: ...


class Place(Protocol):
    """A directory or a bucket's prefix. Every call raises StorageError with what the user can do about it."""

    @property
    def url(self) -> str:
        """As the user wrote it."""

    def create(self, name: str) -> AbstractContextManager[Sink]:
        """A new file of any size, durable when the block ends. When it ends by an error, nothing stays.

        A process that is killed meanwhile may leave a torn one.
        """

    def put(self, name: str, data: bytes) -> None:
        """A small new file: whole and durable, or not there."""

    def get(self, name: str) -> bytes:
        """All of a small file. NotThereError when there is none."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset``; fewer at the end of the file."""

    def list(self, prefix: str = "") -> dict[str, int]:
        """Size of every file whose name begins with ``prefix``; empty when nothing is there."""

    def delete(self, names: Iterable[str]) -> None:
        """Names that are not there are fine: another rank, or another run, was faster."""
