"""How much memory a process and its descendants use, where no control group counts it.

Resident pages that several processes share count once for each: a pool of forked loader workers would be killed long
before its time. So the cheap sum only says when to look closer, at proportional shares. For these the kernel takes a
lock of each process, which one that forks without end does not give back: a fork bomb is left to ``process_count``.
"""

from __future__ import annotations

import contextlib
import os
from itertools import islice
from pathlib import Path

from sidings.node.sandbox.descendants import descendants

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MANY = 512
"""More processes than ranks and their loaders make on one machine."""


def exceeds(root: int, limit_bytes: int) -> bool:
    """Whether the processes below ``root`` hold more than ``limit_bytes`` of anonymous and shared memory."""
    found = list(islice(descendants(root), _MANY))
    if len(found) == _MANY:
        return False
    return sum(map(_resident, found)) > limit_bytes and sum(map(_proportional, found)) > limit_bytes


def _resident(process: str) -> int:
    with contextlib.suppress(OSError):
        return int(Path(process, "statm").read_text().split()[1]) * _PAGE
    return 0


def _proportional(process: str) -> int:
    """Pages of files are left out: the kernel can drop them."""
    with contextlib.suppress(OSError):
        lines = Path(process, "smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return 0
