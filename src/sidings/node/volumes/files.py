"""Content of volumes made of keys: which file gets which key, and how it is written.

Written as kubelet writes it (``pkg/volume/util/atomic_writer.go``): into a fresh directory, to which the symlink
``..data`` is switched in one rename; the visible names are links through it. A reader sees all of the old version or
all of the new one.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sidings.node.errors import ConfigMissing, VolumeError

DEFAULT_MODE = 0o644


class File(NamedTuple):
    content: bytes
    mode: int = DEFAULT_MODE


Files = dict[str, File]
"""Relative path -> file."""


def project(
    data: Mapping[str, bytes], items: Sequence[Mapping[str, Any]] | None, mode: int, *, optional: bool, source: str
) -> Files:
    """Every key as a file of its name, or only ``items``, each under its path. Raises ``ConfigMissing`` for a key
    that is not there."""
    if not items:
        return {key: File(value, mode) for key, value in data.items()}
    chosen: Files = {}
    for item in items:
        key = item["key"]
        if key not in data:
            if optional:
                continue
            raise ConfigMissing(f"references non-existent config key: {key}", cause=f"{source} has no such key")
        chosen[checked_path(item["path"])] = File(data[key], int(item.get("mode") or mode))
    return chosen


def checked_path(path: str) -> str:
    """A relative path without ``..``; raises ``VolumeError``."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not path:
        raise VolumeError(f"invalid path: {path!r}", cause="it must be relative and must not contain '..'")
    return str(pure)


def write(directory: Path, files: Mapping[str, File]) -> None:
    """Make ``directory`` hold exactly ``files``, atomically."""
    directory.mkdir(parents=True, exist_ok=True)
    version = Path(tempfile.mkdtemp(prefix="..", dir=directory))
    version.chmod(0o755)
    for path, file in files.items():
        target = version / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
        target.chmod(file.mode)
    link = directory / "..data"
    old = directory / link.readlink() if link.is_symlink() else None
    fresh = directory / "..data_tmp"
    fresh.symlink_to(version.name)
    fresh.replace(link)
    _show(directory, {PurePosixPath(path).parts[0] for path in files})
    if old is not None:
        shutil.rmtree(old)


def _show(directory: Path, names: set[str]) -> None:
    """A visible link for each first component, and none for those that are gone."""
    for present in directory.iterdir():
        if not present.name.startswith("..") and present.name not in names:
            present.unlink()
    for name in names:
        link = directory / name
        if not link.is_symlink():
            link.symlink_to(f"..data/{name}")
