"""A place in a file system: a local folder, or the path at which a claim is mounted.

Durable means synced, file and directory both: a node that loses power keeps what ``create`` and ``put`` have returned.
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sidings_train.errors import NotThereError, StorageError
from sidings_train.storage.place import Sink

_BUFFER = 1 << 20  # bytes; pieces of a checkpoint come in small writes
_UNFINISHED = ".unfinished"


class Directory:
    """Files under ``root``, which is made when the first one is written."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def url(self) -> str:
        return str(self._root)

    @contextmanager
    def create(self, name: str) -> Iterator[Sink]:
        path = self._root / name
        with self._explained("write", path):
            self._make_parents(path)
            with path.open("xb", buffering=_BUFFER) as file:
                try:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
                except BaseException:
                    with suppress(StorageError):
                        self.delete([name])
                    raise
            _sync(path.parent)

    def put(self, name: str, data: bytes) -> None:
        path = self._root / name
        unfinished = path.with_name(f"{path.name}.{uuid.uuid4().hex}{_UNFINISHED}")
        with self._explained("write", path):
            self._make_parents(path)
            try:
                with unfinished.open("xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                unfinished.rename(path)
            except OSError:
                unfinished.unlink(missing_ok=True)
                raise
            _sync(path.parent)

    def get(self, name: str) -> bytes:
        with self._explained("read", self._root / name):
            return (self._root / name).read_bytes()

    def read(self, name: str, offset: int, length: int) -> bytes:
        with self._explained("read", self._root / name), (self._root / name).open("rb", buffering=0) as file:
            return os.pread(file.fileno(), length, offset)

    def list(self, prefix: str = "") -> dict[str, int]:
        sizes: dict[str, int] = {}
        with self._explained("list", self._root):
            for folder, _, files in os.walk(self._root, onerror=_unless_missing):
                for file in files:
                    path = Path(folder, file)
                    name = path.relative_to(self._root).as_posix()
                    if name.startswith(prefix) and not name.endswith(_UNFINISHED):
                        with suppress(FileNotFoundError):  # deleted by another rank between the two looks
                            sizes[name] = path.stat().st_size
        return sizes

    def delete(self, names: Iterable[str]) -> None:
        emptied = set()
        for name in names:
            path = self._root / name
            with self._explained("delete", path):
                path.unlink(missing_ok=True)
            emptied.add(path.parent)
        for folder in emptied:
            with suppress(OSError):  # not empty: another attempt is in it
                folder.rmdir()
                folder.parent.rmdir()

    def _make_parents(self, path: Path) -> None:
        """The folders down to ``path``, synced into their parents: a file in a folder that is lost is lost."""
        missing = [folder for folder in (path.parent, *path.parent.parents) if not folder.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        for folder in missing:
            _sync(folder.parent)

    @contextmanager
    def _explained(self, verb: str, path: Path) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise NotThereError(f"cannot {verb} {path}: not there") from error
        except OSError as error:
            cause = os.strerror(error.errno) if error.errno else str(error)
            raise StorageError(f"cannot {verb} {path}", cause=cause, remedy=self._remedy(error.errno)) from error

    def _remedy(self, number: int | None) -> str:
        if number in (errno.ENOSPC, errno.EDQUOT):
            return f"make room: df -h {self._root}; or keep fewer checkpoints (keep=1)"
        if number in (errno.EACCES, errno.EPERM, errno.EROFS):
            return f"let user {os.geteuid()} write there: ls -ld {self._root}; a claim may be mounted readOnly"
        if number == errno.ENOTDIR:
            return "a part of the path is a file; name another folder"
        return ""


def _unless_missing(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def _sync(folder: Path) -> None:
    """Make names in ``folder`` durable."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
