"""Reading container logs: what ``kubectl logs`` shows, from the CRI files that the shim writes.

Files are keyed by pod uid, container and attempt, so a pod that was made anew under an old name never shows old lines.
Lines come in the order they were written, out of the rotated files first; a follower polls, since a file that grows
tells nobody.
"""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sidings.api.pods import LogOptions
from sidings.clock import Clock

POLL_SECONDS = 0.1
_BLOCK = 256 * 1024
_BATCH_BYTES = 64 * 1024


class Line(NamedTuple):
    """One CRI line; ``partial`` is a piece of an output line that goes on in the next."""

    timestamp: bytes
    partial: bool
    text: bytes
    stream: bytes = b"stdout"


class Position(NamedTuple):
    """A place in a log, whatever its files are called by now."""

    inode: int
    offset: int


BEGINNING = Position(0, 0)


def log_file(pod_directory: Path, container: str, attempt: int) -> Path:
    return pod_directory / "logs" / container / f"{attempt}.log"


def forget(pod_directory: Path, container: str, attempt: int) -> None:
    """Remove the log of an attempt that can no longer be asked for: of two ended ones only the last is kept."""
    log = log_file(pod_directory, container, attempt)
    for path in (log, *log.parent.glob(f"{log.name}.*")):
        path.unlink(missing_ok=True)


async def read(reader: Reader, options: LogOptions, clock: Clock, ended: Callable[[], bool]) -> AsyncIterator[bytes]:
    """The log as bytes; with ``follow`` until ``ended()`` says that nothing more can come."""
    left = options.limit_bytes
    lines = list(reader.lines()) if options.tail_lines is not None else reader.lines()
    if isinstance(lines, list):
        lines = _tail(lines, options.tail_lines or 0)
    while True:
        for chunk in _shown(lines, options):
            if left is not None:
                chunk = chunk[:left]
                left -= len(chunk)
            if chunk:
                yield chunk
            if left == 0:
                return
        if not options.follow:
            return
        final = ended()
        lines = reader.lines()
        if final:
            for chunk in _shown(lines, options):
                yield chunk if left is None else chunk[:left]
            return
        await clock.sleep(POLL_SECONDS)


def pieces(path: Path, start: Position = BEGINNING, end: Position = BEGINNING) -> Iterator[tuple[str, bytes]]:
    """The output in the log between two positions as (stream, bytes); to the end where ``end`` is no place in it."""
    for stream, lines in itertools.groupby(_lines_between(path, start, end), key=lambda line: line.stream):
        for chunk in _shown(lines, LogOptions("")):
            yield stream.decode(), chunk


def _lines_between(path: Path, start: Position, end: Position) -> Iterator[Line]:
    with contextlib.ExitStack() as stack:
        # All are opened at once, for a rotation meanwhile would give them other names.
        files = [stack.enter_context(file.open("rb")) for file in _generations(path)]
        inodes = [os.fstat(file.fileno()).st_ino for file in files]
        first = inodes.index(start.inode) if start.inode in inodes else 0
        for inode, file in zip(inodes[first:], files[first:], strict=True):
            offset = file.seek(start.offset if inode == start.inode else 0)
            for text in file:
                offset += len(text)
                if inode == end.inode and offset > end.offset:
                    return
                if text.endswith(b"\n"):
                    yield _parse(text[:-1])
            if inode == end.inode:
                return


def _shown(lines: Iterable[Line], options: LogOptions) -> Iterator[bytes]:
    """Lines as they go to the client, in batches."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        if options.since is not None and _moment(line.timestamp) < options.since:
            continue
        text = line.text if line.partial else line.text + b"\n"
        if options.timestamps:
            text = line.timestamp + b" " + text
        batch.append(text)
        size += len(text)
        if size >= _BATCH_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
    if batch:
        yield b"".join(batch)


def _tail(lines: list[Line], count: int) -> list[Line]:
    """The last ``count`` output lines; pieces of one line count once."""
    if count == 0:
        return []
    start, seen = len(lines), 0
    while start > 0:
        if not lines[start - 1].partial or start == len(lines):
            seen += 1
            if seen > count:
                break
        start -= 1
    return lines[start:]


def _moment(timestamp: bytes) -> datetime:
    """Python keeps microseconds of the nanoseconds written."""
    return datetime.strptime(timestamp[:26].decode(), "%Y-%m-%dT%H:%M:%S.%f").replace(tzinfo=UTC)


class Reader:
    """Reads on where it stopped, over rotations of the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._inode = 0
        self._offset = 0
        self._rest = b""

    @property
    def position(self) -> Position:
        """Up to where it has read."""
        return Position(self._inode, self._offset)

    def lines(self) -> Iterator[Line]:
        """Complete lines that came since the last call."""
        for file in self._unread():
            with file.open("rb") as opened:
                opened.seek(self._offset)
                while block := opened.read(_BLOCK):
                    self._offset += len(block)
                    *complete, self._rest = (self._rest + block).split(b"\n")
                    for line in complete:
                        yield _parse(line)

    def _unread(self) -> Iterator[Path]:
        """The files from the one last read, oldest first; ``_offset`` is where to start in each."""
        for file in self._generations():
            try:
                inode = file.stat().st_ino
            except FileNotFoundError:
                continue
            if inode != self._inode:
                self._inode, self._offset, self._rest = inode, 0, b""
            yield file

    def _generations(self) -> list[Path]:
        files = _generations(self._path)
        if self._inode:
            for position, file in enumerate(files):
                if file.exists() and file.stat().st_ino == self._inode:
                    return files[position:]
        return files


def _generations(path: Path) -> list[Path]:
    """The files of one log, oldest first."""
    numbered = sorted(path.parent.glob(f"{path.name}.*"), key=lambda file: int(file.suffix[1:]), reverse=True)
    return [*numbered, path]


def _parse(line: bytes) -> Line:
    timestamp, _, rest = line.partition(b" ")
    stream, _, rest = rest.partition(b" ")
    tag, _, text = rest.partition(b" ")
    return Line(timestamp, tag == b"P", text, stream)
