"""``hostPath`` volumes: a path of this machine, checked against its ``type`` and against what no pod may see.

A missing path without a type is made as a directory, as containerd and CRI-O do.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sidings.node import masks
from sidings.node.errors import VolumeError

_CHECKS = {
    "Directory": (stat.S_ISDIR, "directory"),
    "DirectoryOrCreate": (stat.S_ISDIR, "directory"),
    "File": (stat.S_ISREG, "file"),
    "FileOrCreate": (stat.S_ISREG, "file"),
    "Socket": (stat.S_ISSOCK, "socket"),
    "CharDevice": (stat.S_ISCHR, "character device"),
    "BlockDevice": (stat.S_ISBLK, "block device"),
}


def source(volume: Mapping[str, Any], secrets: Iterable[Path]) -> Path:
    """The path to bind, made where its type says so. Raises ``VolumeError``."""
    path = Path(volume["path"])
    kind = volume.get("type") or ""
    if not path.is_absolute() or ".." in path.parts:
        raise VolumeError(f"hostPath {path} is refused", cause="it must be absolute and must not contain '..'")
    secrets = tuple(secrets)
    _refuse_hidden(path, path, secrets)
    try:
        real = path.resolve()
        _refuse_hidden(path, real, secrets)
        if not real.exists():
            if kind in ("", "DirectoryOrCreate"):
                real.mkdir(parents=True)
            elif kind == "FileOrCreate":
                real.touch()
        if kind in _CHECKS:
            check, shown = _CHECKS[kind]
            if not real.exists() or not check(real.stat().st_mode):
                raise VolumeError(f"hostPath type check failed: {path} is not a {shown}")
    except OSError as error:
        raise VolumeError(f"hostPath {path} cannot be used", cause=error.strerror or str(error)) from error
    return real


def _refuse_hidden(path: Path, real: Path, secrets: Iterable[Path]) -> None:
    if (secret := masks.protecting(real, secrets)) is not None:
        raise VolumeError(
            f"hostPath {path} is refused", cause=f"{secret} is hidden from pods", remedy="use a Secret or a claim"
        )
