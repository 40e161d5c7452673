"""Whether the kernel has killed processes of a container for its memory.

Engines say so themselves, but not all on all machines (podman's monitor does not on a mix of control group versions),
and the control group is gone soon after the container's first process. So a keeper looks at the moment that process
ends, before the engine has cleaned up.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from sidings.node.sandbox import cgroups
from sidings.node.sandbox.cgroups import Group


class MemoryGroup:
    """The control group of a container's first process ``pid``, looked up while it runs."""

    def __init__(self, pid: int, root: Path = Path("/")) -> None:
        self.ended: int | None = None
        """A descriptor that is readable once the process has ended; None where it had already."""
        self._groups: tuple[Group, ...] = ()
        with contextlib.suppress(OSError):
            directory = directory_of((root / f"proc/{pid}/cgroup").read_text())
            self.ended = os.pidfd_open(pid)
            self._groups = (Group(str(root / directory)),)

    def kills(self) -> int:
        return cgroups.kills(self._groups)


def directory_of(text: str) -> str:
    """From ``/proc/<pid>/cgroup`` to the directory that accounts its memory, below ``/``."""
    entries = [line.split(":", 2) for line in text.splitlines()]
    for _, controllers, path in entries:
        if "memory" in controllers.split(","):
            return f"sys/fs/cgroup/memory{path}"
    return f"sys/fs/cgroup{entries[0][2]}" if entries else "sys/fs/cgroup"
