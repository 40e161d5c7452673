"""Where a run of a script lies: a folder of its own, and the script's arguments as they have to be for it.

The script runs in that folder, so that what it writes to relative paths is one run's alone. An argument that names
something in the user's folder means that. Two runs must not share checkpoints: ``{run}`` in an argument is the run's
folder, and an absolute path or a bucket given to an option that is plainly about checkpoints gets a folder per run.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sidings.verify_resume.bucket import SCHEME, Bucket

MARK = "{run}"
_CHECKPOINTS = re.compile(r"--(?:checkpoints?(?:[-_](?:dir|path|folder|url))?|ckpt[-_]dir|output[-_]dir|save[-_]dir)")
_SUFFIXES = frozenset({".pt", ".pth", ".ckpt", ".bin", ".tar", ".safetensors", ".distcp"})
_INDEX = ".metadata"
"""The file that makes a folder one checkpoint of torch.distributed.checkpoint."""


@dataclass(frozen=True)
class Place:
    """One run's ``folder``, the script's ``arguments``, and all folders in which its checkpoints may lie, or a bucket.

    ``read`` is what of the arguments lies outside of those.
    """

    folder: Path
    arguments: tuple[str, ...]
    searched: tuple[Path, ...]
    bucket: Bucket | None = None
    read: tuple[Path, ...] = ()

    @property
    def temporary(self) -> Path:
        """Of both runs: a torchrun that is killed leaves folders behind."""
        return self.folder.parent / "tmp"

    @property
    def taken(self) -> str:
        """A folder or prefix that should be this run's alone and is there already; ``""`` where none is."""
        there = next((str(folder) for folder in self.searched if folder.exists()), "")
        return there or (self.bucket.url if self.bucket and self.bucket.objects() else "")

    @property
    def has_checkpoint(self) -> bool:
        return bool(self._newest_object() if self.bucket else self.newest_file())

    def newest_file(self) -> Path | None:
        """The file of a checkpoint that was written last."""
        files = [file for root in self.searched for file in root.rglob("*") if file.suffix in _SUFFIXES]
        return max(files, key=lambda file: (file.stat().st_mtime_ns, file), default=None)

    def newest_checkpoint(self) -> Path | None:
        """The newest checkpoint: a file, or the folder of a sharded one; from a bucket, a copy of it."""
        if self.bucket:
            return self._fetched(self.bucket)
        file = self.newest_file()
        return file.parent if file and (file.parent / _INDEX).exists() else file

    def counterpart(self, path: Path | None, other: Place) -> Path | None:
        """The checkpoint here whose name is that of ``path`` in ``other``, None where each has a name of its own.

        Where every rank writes a file, which of them is the last is chance.
        """
        for own, others in zip(self.searched, other.searched, strict=True):
            if path and path.is_relative_to(others) and (found := own / path.relative_to(others)).exists():
                return found
        return None

    def tear_newest(self) -> str:
        """Cut the file or object that was written last in half; its name, ``""`` where there is none."""
        if self.bucket:
            if name := self._newest_object():
                self.bucket.tear(name)
            return PurePosixPath(name).name
        if (file := self.newest_file()) is None:
            return ""
        with file.open("r+b") as torn:
            torn.truncate(file.stat().st_size // 2)
        return file.name

    def remove(self) -> None:
        """Remove all that the run wrote to places of its own."""
        for folder in self.searched:
            shutil.rmtree(folder, ignore_errors=True)
        if self.bucket:
            self.bucket.remove()

    def _newest_object(self) -> str:
        objects = self.bucket.objects() if self.bucket else []
        found = [(stored.at, stored.name) for stored in objects if PurePosixPath(stored.name).suffix in _SUFFIXES]
        return max(found)[1] if found else ""

    def _fetched(self, bucket: Bucket) -> Path | None:
        if not (name := self._newest_object()):
            return None
        copies, folder = self.folder / "fetched", PurePosixPath(name).parent
        siblings = [stored.name for stored in bucket.objects() if PurePosixPath(stored.name).parent == folder]
        is_sharded = str(folder / _INDEX) in siblings
        bucket.fetch(siblings if is_sharded else [name], copies)
        return copies / folder if is_sharded else copies / name


def of(folder: Path, arguments: Sequence[str], cwd: Path, environ: Mapping[str, str]) -> Place:
    """The place of the run called as its ``folder`` is; ``cwd`` is where the user's relative paths begin.

    ``environ`` says how a bucket is reached. Raises ``BucketFailed`` where it cannot be.
    """
    searched, read, given, option, bucket = [folder], [], [], "", ""
    for argument in arguments:
        name, joined, value = argument.partition("=") if argument.startswith("--") else (option, "", argument)
        if argument.startswith("-") and not joined:
            option = argument
            given.append(argument)
            continue
        path = Path(value)
        if _CHECKPOINTS.fullmatch(name):
            if value.startswith(SCHEME):
                bucket = value = f"{value.rstrip('/')}/{folder.name}"
            elif path.is_absolute():
                searched.append(path / folder.name)
                value = str(path / folder.name)
        elif value and (cwd / path).exists():
            read.append((cwd / path).resolve())
            value = str(read[-1])
        given.append(f"{name}={value}" if joined else value)
        option = ""
    return Place(
        folder,
        tuple(one.replace(MARK, str(folder)) for one in given),
        tuple(searched),
        Bucket(bucket, environ) if bucket else None,
        tuple(read),
    )
