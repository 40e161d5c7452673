"""Container output as kubelet keeps it: one CRI line per line of output, rotated by size.

``<RFC 3339 with nanoseconds> <stdout|stderr> <F|P> <text>``; P marks a piece of a line longer than the reader's
buffer. Rotation renames ``0.log`` to ``0.log.1`` and so on; the newest is always without a number.

A full disk loses output, never the container: a workload must not stop for its log. How much was lost is said in the
log as soon as there is room.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

LONGEST_PIECE = 16 * 1024
"""Bytes of one CRI line, as containerd's ``max_container_log_line_size`` default."""
RECENT_BYTES = 2048
"""How much of the output can become a termination message (kubelet's limit for FallbackToLogsOnError)."""


class LogWriter:
    """The log file of one container attempt."""

    def __init__(self, path: str, max_bytes: int, max_files: int, now: Callable[[], int] = time.time_ns) -> None:
        self._path = path
        self._max_bytes = max_bytes
        self._max_files = max_files
        self._now = now
        self._rest = {"stdout": b"", "stderr": b""}
        self._recent = b""
        self._lost = 0
        self._open()

    def write(self, stream: str, data: bytes) -> None:
        """Output as it arrived; a line without its end waits for the rest."""
        *lines, rest = (self._rest[stream] + data).split(b"\n")
        self._rest[stream] = rest
        self._recent = (self._recent + data)[-RECENT_BYTES:]
        start = f"{self._timestamp()} {stream} ".encode()
        out: list[bytes] = []
        for line in lines:
            while len(line) > LONGEST_PIECE:
                out += (start, b"P ", line[:LONGEST_PIECE], b"\n")
                line = line[LONGEST_PIECE:]
            out += (start, b"F ", line, b"\n")
        while len(self._rest[stream]) > LONGEST_PIECE:
            out += (start, b"P ", self._rest[stream][:LONGEST_PIECE], b"\n")
            self._rest[stream] = self._rest[stream][LONGEST_PIECE:]
        if out:
            self._append(b"".join(out))

    def close(self) -> None:
        """The container is gone: what is left without an end is a last piece of a line."""
        for stream, rest in self._rest.items():
            if rest:
                self._append(f"{self._timestamp()} {stream} P ".encode() + rest + b"\n")
        os.close(self._fd)

    def position(self) -> tuple[int, int]:
        """Where the log ends now: inode of its newest file, and bytes in it."""
        return os.fstat(self._fd).st_ino, self._size

    def unfinished(self, stream: str) -> bytes:
        """Output that is not in the log yet, because its line has no end."""
        return self._rest[stream]

    def recent(self) -> str:
        """The last output, at most ``RECENT_BYTES`` and 80 lines of it."""
        return "".join(self._recent.decode(errors="replace").splitlines(keepends=True)[-80:])

    def _append(self, data: bytes) -> None:
        if self._lost:
            data = f"{self._timestamp()} stderr F [{self._lost} bytes of log lost: disk full]\n".encode() + data
        try:
            if self._size and self._size + len(data) > self._max_bytes:
                self._rotate()
            view = memoryview(data)
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            self._lost += len(data)
        else:
            self._lost = 0
            self._size += len(data)

    def _open(self) -> None:
        self._fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o640)
        self._size = os.fstat(self._fd).st_size

    def _rotate(self) -> None:
        for number in range(self._max_files - 1, 0, -1):
            newer = Path(f"{self._path}.{number - 1}" if number > 1 else self._path)
            if newer.exists():
                newer.replace(f"{self._path}.{number}")
        old = self._fd
        self._open()
        os.close(old)

    def _timestamp(self) -> str:
        seconds, nanoseconds = divmod(self._now(), 1_000_000_000)
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{nanoseconds:09d}Z"
