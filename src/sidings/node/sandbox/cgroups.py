"""A container's control groups, from the shim's side: made before its init is let go, removed after its end."""

from __future__ import annotations

import contextlib
import errno
import time
from dataclasses import dataclass
from pathlib import Path

_OPTIONAL = frozenset(("memory.memsw.limit_in_bytes", "memory.swap.max"))
"""Absent where the kernel does not account swap."""
_OUT_OF_MEMORY = ("memory.events", "memory.oom_control")
_PATIENCE_SECONDS = 1.0


@dataclass(frozen=True)
class Group:
    """One directory and the files to write in it, in this order."""

    directory: str
    settings: tuple[tuple[str, str], ...] = ()


def enter(groups: tuple[Group, ...], pid: int) -> None:
    """Make ``groups`` and move ``pid``, which waits, into them. Raises ``OSError``."""
    for group in groups:
        directory = Path(group.directory)
        directory.mkdir(exist_ok=True)
        for name, value in group.settings:
            if name not in _OPTIONAL or (directory / name).exists():
                (directory / name).write_text(value)
        (directory / "cgroup.procs").write_text(str(pid))


def kills(groups: tuple[Group, ...]) -> int:
    """How many processes the kernel has killed because a group was out of memory."""
    total = 0
    for group in groups:
        for name in _OUT_OF_MEMORY:
            with contextlib.suppress(FileNotFoundError):
                for line in Path(group.directory, name).read_text().splitlines():
                    key, _, value = line.partition(" ")
                    total += int(value) if key == "oom_kill" else 0
    return total


def leave(groups: tuple[Group, ...]) -> None:
    """Remove ``groups``, whose processes have ended; the kernel may need a moment to see that."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    for group in groups:
        while True:
            try:
                Path(group.directory).rmdir()
            except FileNotFoundError:
                break
            except OSError as error:
                if error.errno != errno.EBUSY or time.monotonic() > deadline:
                    break
                time.sleep(0.001)
            else:
                break
