"""What this machine has, as the defaults of a node: all its CPUs and all its memory."""

from __future__ import annotations

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")


def cpu() -> str:
    """CPUs that this process may use, as a quantity."""
    return str(len(os.sched_getaffinity(0)))


def memory(meminfo: Path = MEMINFO) -> str:
    """``MemTotal`` as a quantity, in whole Mi because people read it."""
    for line in meminfo.read_text().splitlines():
        if line.startswith("MemTotal:"):
            return f"{int(line.split()[1]) // 1024}Mi"
    raise ValueError(f"{meminfo} has no MemTotal")
