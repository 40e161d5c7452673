"""``file://``: a file or folder of this machine, copied; what is there already with the same size and time stays.

The path means the machine's, not the pod's: the controller mounts the folder that holds it and says in ``SOURCE_PATH``
where. Run by hand the path is taken as it stands.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sidings.initializers.errors import InitializerError
from sidings.initializers.progress import Progress
from sidings.initializers.wanted import Wanted


def fetch(uri: str, environ: Mapping[str, str], target: Path, wanted: Wanted, say: Callable[[str], None]) -> int:
    """Copy what ``uri`` names into ``target``; returns how many files."""
    parts = urlsplit(uri)
    if parts.netloc not in ("", "localhost"):
        raise InitializerError(
            f"{uri} names the machine {parts.netloc}",
            remedy=f"file:///{parts.netloc}{parts.path} for a path of this one",
        )
    source = Path(environ.get("SOURCE_PATH") or unquote(parts.path))
    if not source.exists():
        raise InitializerError(f"{uri} is not there", cause=f"this machine has no {unquote(parts.path)}")
    found = [source] if source.is_file() else sorted(path for path in source.rglob("*") if path.is_file())
    base = source.parent if source.is_file() else source
    chosen = [path for path in found if wanted.takes(path.relative_to(base).as_posix())]
    if not chosen:
        raise InitializerError(f"{uri} holds no file to copy", cause=f"{len(found)} files, none of them wanted")
    progress = Progress(len(chosen), say)
    for path in chosen:
        relative = path.relative_to(base)
        copy = target / relative
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not _same(path, copy):
            partial = copy.with_name(copy.name + ".part")
            shutil.copy2(path, partial)
            partial.replace(copy)
        progress.fetched(relative.as_posix(), path.stat().st_size)
    return progress.files


def _same(source: Path, copy: Path) -> bool:
    if not copy.is_file():
        return False
    left, right = source.stat(), copy.stat()
    return (left.st_size, int(left.st_mtime)) == (right.st_size, int(right.st_mtime))
