"""Which checkpoint to go on from: the newest that is whole, found by looking, not by a pointer.

Rank 0 lists and chooses; every rank then reads its share of the files and compares checksums. What is unfinished,
torn or missing is passed over with a line that says so, and the one before is tried: a pointer to "latest" would be
one more thing that can be torn.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sidings_train.checkpoint.layout import MANIFEST, Attempt, attempts, finished
from sidings_train.checkpoint.manifest import File, Manifest, UnreadableError
from sidings_train.errors import NotThereError
from sidings_train.storage.ahead import Piece, read_ahead
from sidings_train.storage.place import Place
from sidings_train.world import World

_CHUNK = 8 << 20  # bytes read at once for a checksum


@dataclass(frozen=True)
class Found:
    """A checkpoint that was read in full and is as it was written."""

    attempt: Attempt
    manifest: Manifest


def _warn(text: str) -> None:
    print(f"warning: {text}", file=sys.stderr, flush=True)


def _silent(text: str) -> None:
    """Other ranks than the first say nothing."""


def latest(place: Place, world: World, warn: Callable[[str], None] = _warn) -> Found | None:
    """The newest whole checkpoint, the same on all ranks; None when there is none.

    ``warn`` hears, on rank 0, of everything newer that was passed over. StorageError, on all ranks, when the place
    cannot be read at all: to begin anew because a server did not answer would throw training away.
    """
    if not world.first:
        warn = _silent
    sizes: dict[str, int] = {}
    with world.together():
        if world.first:
            sizes = place.list("step-")
    candidates = world.from_first(_candidates(sizes))
    for attempt, whole in candidates:
        problem = _problem(place, attempt, sizes, world) if whole else "it was never finished"
        if isinstance(problem, Manifest):
            return Found(attempt, problem)
        warn(f"checkpoint {place.url}/{attempt.path()} is skipped: {problem}")
    return None


def _candidates(sizes: Mapping[str, int]) -> list[tuple[Attempt, bool]]:
    """Attempts, newest first, and whether each has a manifest; unfinished ones older than a finished one left out."""
    found = attempts(sizes)
    whole = finished(found)
    newest = whole[0] if whole else None
    open_ones = [attempt for attempt in found if attempt not in whole and (newest is None or attempt > newest)]
    return [(attempt, attempt in whole) for attempt in sorted([*whole, *open_ones], reverse=True)]


def _problem(place: Place, attempt: Attempt, sizes: Mapping[str, int], world: World) -> Manifest | str:
    """The manifest of ``attempt`` when everything it lists is as it says; otherwise what is wrong."""
    manifest: Manifest | str = ""
    with world.together():
        if world.first:
            manifest = _manifest(place, attempt, sizes)
    manifest = world.from_first(manifest)
    if isinstance(manifest, str):
        return manifest
    own = ""
    with world.together():
        names = sorted(manifest.files)[world.rank :: world.size]
        own = next(filter(None, (_difference(place, attempt, name, manifest.files[name]) for name in names)), "")
    return next(filter(None, world.gather(own)), manifest)


def _manifest(place: Place, attempt: Attempt, sizes: Mapping[str, int]) -> Manifest | str:
    try:
        manifest = Manifest.from_json(place.get(attempt.path(MANIFEST)))
    except UnreadableError as error:
        return str(error)
    except NotThereError:
        return "it was deleted just now"
    for name, file in manifest.files.items():
        size = sizes.get(attempt.path(name))
        if size is None:
            return f"{name} is missing"
        if size != file.size:
            return f"{name} is torn: {size:,} of {file.size:,} bytes"
    return manifest


def _difference(place: Place, attempt: Attempt, name: str, file: File) -> str:
    checksum = hashlib.sha256()
    chunks = (
        Piece(attempt.path(name), offset, min(_CHUNK, file.size - offset)) for offset in range(0, file.size, _CHUNK)
    )
    try:
        for chunk in read_ahead(place, chunks):
            checksum.update(chunk)
    except NotThereError:
        return f"{name} is not there on every node, or was deleted just now"
    return "" if checksum.hexdigest() == file.sha256 else f"{name} has another checksum than when it was written"
