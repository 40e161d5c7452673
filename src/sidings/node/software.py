"""Which Python environment an ``image:`` means on this machine. Images are not pulled; host software runs.

An environment is a prefix; pods see it read-only at its own path together with the interpreter it was made from, also
where that lies in a home: a venv's ``python`` is a chain of symlinks into another prefix, and each link must exist.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sidings

_INITIALIZERS = ("dataset-initializer", "model-initializer")
"""The last part of the names of Trainer's images, wherever they are mirrored."""
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def prefix_for(image: str, images: Sequence[tuple[str, Path]], default: Path) -> Path:
    """The first environment whose glob matches the image reference."""
    for pattern, prefix in images:
        if fnmatch.fnmatchcase(image, pattern):
            return prefix
    return default


@dataclass(frozen=True)
class OwnProgram:
    """What runs in place of an image's entrypoint, with the paths that it must see."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    paths: tuple[Path, ...]


def own_program(container: Mapping[str, Any], prefix: Path) -> OwnProgram | None:
    """Our initializer, run by the Python of ``prefix``, for a container of Trainer's; None for all others.

    Upstream's images have no program that a manifest names, so without this a TrainJob with an initializer could not
    start. A container with a command of its own is left alone.
    """
    name = re.split("[:@]", str(container.get("image") or "").rpartition("/")[2])[0]
    if container.get("command") or container.get("args") or name not in _INITIALIZERS:
        return None
    package = Path(sidings.__file__).parent
    return OwnProgram(
        argv=(str(prefix / "bin" / "python"), "-m", "sidings.initializers", name.removesuffix("-initializer")),
        environment={"PYTHONPATH": str(package.parent), "PYTHONUNBUFFERED": "1"},
        paths=(package, *visible_prefixes(prefix)),
    )


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
