"""A program in a terminal of a given size, in which a test types and reads."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Self

PATIENCE_SECONDS = 180.0


class Terminal:
    """``said`` is everything that the program wrote so far."""

    def __init__(
        self,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        folder: str | None = None,
        columns: int = 111,
        rows: int = 33,
    ) -> None:
        self._ours, its = pty.openpty()
        self.said = ""
        self._set_size(columns, rows)
        self._process = subprocess.Popen(
            command, stdin=its, stdout=its, stderr=its, env=environ, cwd=folder, start_new_session=True
        )
        os.close(its)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._ours)

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def resize(self, columns: int, rows: int) -> None:
        self._set_size(columns, rows)
        self._process.send_signal(signal.SIGWINCH)  # the kernel tells those only whose controlling terminal it is

    def read_until(self, pattern: str) -> None:
        """Read until ``pattern`` is found in what was said. Raises AssertionError where it does not come."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not re.search(pattern, self.said, re.MULTILINE):
            assert self._read(deadline - time.monotonic()), f"{pattern!r} did not come: {self.said!r}"

    def end(self) -> int:
        """Read to the end; the exit code."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._read(deadline - time.monotonic()):
            pass
        return self._process.wait(timeout=PATIENCE_SECONDS)

    def _read(self, seconds: float) -> bool:
        """Whether more came within ``seconds``."""
        if not select.select([self._ours], [], [], max(seconds, 0))[0]:
            return False
        try:
            self.said += os.read(self._ours, 4096).decode(errors="replace")
        except OSError:  # the program closed its side
            return False
        return True

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
