"""Folders in which a pod has written what it liked."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def remove(directory: Path) -> None:
    """With all that is in it; nothing where it is not there."""
    if not directory.exists():
        return
    try:
        shutil.rmtree(directory)
    except PermissionError:
        _open(directory)
        shutil.rmtree(directory)


def _open(directory: Path) -> None:
    """A pod may have made directories that even their owner may not enter; each is opened before it is entered."""
    directory.chmod(0o700)
    for folder, names, _ in os.walk(directory):
        for inner in (Path(folder) / name for name in names):
            if not inner.is_symlink():  # which may lead out of the pod's
                inner.chmod(0o700)
