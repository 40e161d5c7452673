"""Who owns the files that containers of root's engine find: their private directories, and volumes with ``fsGroup``.

Only root of the machine can give files away. On an ordinary user's node every file belongs to him, and so does every
process, whatever its number inside: there is nothing to be done.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from pathlib import Path

ALWAYS, ON_ROOT_MISMATCH = "Always", "OnRootMismatch"
"""``fsGroupChangePolicy``"""
_READABLE, _WRITABLE = 0o440, 0o660
_DIRECTORY = 0o110 | stat.S_ISGID


def give(directories: Iterable[Path], user: int, group: int) -> None:
    """Make ``user`` and ``group`` the owners of ``directories``, which are empty."""
    for directory in directories:
        os.chown(directory, user, group)


def share(volume: Path, group: int, *, read_only: bool, policy: str = ALWAYS) -> None:
    """Let ``group`` use all of ``volume``: its group, its rights, setgid on directories.

    As kubelet's SetVolumeOwnership (v1.36).
    With ``ON_ROOT_MISMATCH`` a volume whose root is right already is left alone.
    """
    mask = _READABLE if read_only else _WRITABLE
    if policy == ON_ROOT_MISMATCH and _is_shared(volume, group, mask):
        return
    for folder, _, files in os.walk(volume, topdown=False):
        for name in files:
            _share(Path(folder, name), group, mask)
        _share(Path(folder), group, mask | _DIRECTORY)


def _is_shared(volume: Path, group: int, mask: int) -> bool:
    found = volume.stat()
    wanted = mask | _DIRECTORY
    return found.st_gid == group and stat.S_IMODE(found.st_mode) & wanted == wanted


def _share(path: Path, group: int, mask: int) -> None:
    found = path.lstat()
    os.chown(path, -1, group, follow_symlinks=False)
    if not stat.S_ISLNK(found.st_mode):
        path.chmod(stat.S_IMODE(found.st_mode) | mask)
