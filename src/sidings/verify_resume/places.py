"""Where a run of a script lies: a folder of its own, and the script's arguments as they have to be for it.

The script runs in that folder, so that what it writes to relative paths is one run's alone. An argument that names
something in the user's folder means that. Two runs must not share checkpoints: ``{run}`` in an argument is the run's
folder, and an absolute path given to an option that is plainly about checkpoints gets a folder per run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MARK = "{run}"
_CHECKPOINTS = re.compile(r"--(?:checkpoints?(?:[-_](?:dir|path|folder))?|ckpt[-_]dir|output[-_]dir|save[-_]dir)")
_SUFFIXES = frozenset({".pt", ".pth", ".ckpt", ".bin", ".tar", ".safetensors", ".distcp"})
_INDEX = ".metadata"
"""The file that makes a folder one checkpoint of torch.distributed.checkpoint."""


@dataclass(frozen=True)
class Place:
    """One run's ``folder``, the script's ``arguments``, and all folders in which its checkpoints may lie."""

    folder: Path
    arguments: tuple[str, ...]
    searched: tuple[Path, ...]

    @property
    def temporary(self) -> Path:
        """Of both runs: a torchrun that is killed leaves folders behind."""
        return self.folder.parent / "tmp"

    def newest_file(self) -> Path | None:
        """The file of a checkpoint that was written last."""
        files = [file for root in self.searched for file in root.rglob("*") if file.suffix in _SUFFIXES]
        return max(files, key=lambda file: (file.stat().st_mtime_ns, file), default=None)

    def newest_checkpoint(self) -> Path | None:
        """The newest checkpoint: a file, or the folder of a sharded one."""
        file = self.newest_file()
        return file.parent if file and (file.parent / _INDEX).exists() else file


def of(folder: Path, arguments: Sequence[str], cwd: Path) -> Place:
    """The place of the run called as its ``folder`` is; ``cwd`` is where the user's relative paths begin."""
    searched, given, option = [folder], [], ""
    for argument in arguments:
        name, joined, value = argument.partition("=") if argument.startswith("--") else (option, "", argument)
        if argument.startswith("-") and not joined:
            option = argument
            given.append(argument)
            continue
        path = Path(value)
        if _CHECKPOINTS.fullmatch(name):
            if path.is_absolute():
                searched.append(path / folder.name)
                value = str(path / folder.name)
        elif value and (cwd / path).exists():
            value = str(cwd / path)
        given.append(f"{name}={value}" if joined else value)
        option = ""
    return Place(folder, tuple(one.replace(MARK, str(folder)) for one in given), tuple(searched))
