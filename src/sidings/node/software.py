"""Which Python environment an ``image:`` means on this machine. Images are not pulled; host software runs.

An environment is a prefix; pods see it read-only at its own path together with the interpreter it was made from, also
where that lies in a home: a venv's ``python`` is a chain of symlinks into another prefix, and each link must exist.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from pathlib import Path

_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def prefix_for(image: str, images: Sequence[tuple[str, Path]], default: Path) -> Path:
    """The first environment whose glob matches the image reference."""
    for pattern, prefix in images:
        if fnmatch.fnmatchcase(image, pattern):
            return prefix
    return default


def search_path(prefix: Path) -> str:
    """PATH in a pod: the environment's programs first, so that ``python`` and ``torchrun`` are its own."""
    return f"{prefix / 'bin'}:{_SYSTEM_PATH}"


def visible_prefixes(prefix: Path) -> tuple[Path, ...]:
    """``prefix`` and every other prefix on the way to its real interpreter, as they are spelled."""
    found = [prefix]
    program = prefix / "bin" / "python"
    while program.is_symlink():
        program = Path(program.parent, program.readlink())
        # A prefix reached through a link in its own path (uv's "cpython-3.12-linux-..." links) counts as spelled.
        place = Path(_without_dots(program)).parent.parent
        if place not in found:
            found.append(place)
    real = program.resolve().parent.parent
    return tuple(path for path in dict.fromkeys([*found, real]) if path != Path("/usr"))


def _without_dots(path: Path) -> str:
    parts: list[str] = []
    for part in path.parts[1:]:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/" + "/".join(parts)
