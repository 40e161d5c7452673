"""A place in memory, for tests: the same rules as a bucket, and every failure one may wish for."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from sidings_train.errors import NotThereError
from sidings_train.storage.place import Sink


class Memory:
    """Files in a dict. ``fail`` is called as ``fail(verb, name)`` before every operation and may raise."""

    def __init__(self, fail: Callable[[str, str], None] = lambda verb, name: None) -> None:
        self.files: dict[str, bytes] = {}
        self.fail = fail

    @property
    def url(self) -> str:
        return "memory:"

    @contextmanager
    def create(self, name: str) -> Iterator[Sink]:
        self.fail("create", name)
        sink = io.BytesIO()
        yield sink
        self.files[name] = sink.getvalue()

    def put(self, name: str, data: bytes) -> None:
        self.fail("put", name)
        self.files[name] = data

    def get(self, name: str) -> bytes:
        self.fail("get", name)
        if name not in self.files:
            raise NotThereError(f"{name}: not there")
        return self.files[name]

    def read(self, name: str, offset: int, length: int) -> bytes:
        return self.get(name)[offset : offset + length]

    def list(self, prefix: str = "") -> dict[str, int]:
        self.fail("list", prefix)
        return {name: len(data) for name, data in sorted(self.files.items()) if name.startswith(prefix)}

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self.fail("delete", name)
            self.files.pop(name, None)
