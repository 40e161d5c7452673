"""Folders outside of a Python environment that it imports from: what was installed with ``pip install -e``.

Homes are empty in a pod, and a checkout mostly lies in one. So a package that the user imports would be gone for his
job alone; pods see these folders as they see the environment, read-only at their own paths. An environment names them
in the ``.pth`` files of its site-packages (hatchling, flit, maturin, setuptools with a src layout; setuptools' import
hook for packages beside a ``setup.py`` names none, and such a package needs an ordinary install).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sidings.node import masks
from sidings.node.sandbox.spec import Bind


def checkouts(prefix: Path, secrets: Iterable[Path]) -> list[Path]:
    """The folders that ``.pth`` files of ``prefix`` add to its ``sys.path``, as they are spelled; none of ``secrets``.

    One with any of those below it is a home or holds one (a package beside ``~/.ssh``): that is not shown for the sake
    of a package.
    """
    kept_back = tuple(secrets)
    folders = [folder for file in sorted(prefix.glob("lib/python3*/site-packages/*.pth")) for folder in _named_in(file)]
    return [
        folder
        for folder in dict.fromkeys(folders)
        if not folder.is_relative_to(prefix) and not _shows(folder, kept_back)
    ]


def _named_in(file: Path) -> Iterator[Path]:
    """What Python's ``site`` adds for a ``.pth`` file: nothing for code, comments, and a file that it may not read."""
    try:
        text = file.read_text(errors="replace")
    except OSError:
        return
    for line in text.splitlines():
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            folder = Path(os.path.normpath(file.parent / line.rstrip()))
            if folder.is_dir():
                yield folder


def _shows(folder: Path, secrets: tuple[Path, ...]) -> bool:
    bind = Bind(str(folder), str(folder))
    return masks.protecting(folder, secrets) is not None or bool(masks.inside(map(str, secrets), [bind]))
