"""How much memory a process and its descendants use, where no control group counts it.

Resident pages that several processes share count once for each: a pool of forked loader workers would be killed long
before its time. So the cheap sum only says when to look closer, at proportional shares.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def exceeds(root: int, limit_bytes: int) -> bool:
    """Whether the processes below ``root`` hold more than ``limit_bytes`` of anonymous and shared memory."""
    pids = list(_descendants(root))
    return sum(map(_resident, pids)) > limit_bytes and sum(map(_proportional, pids)) > limit_bytes


def _descendants(root: int) -> Iterator[int]:
    """``root`` excluded: it is our own init. Orphans of a container are its init's children, so none is missed."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                children = [int(child) for child in (task / "children").read_text().split()]
                yield from children
                waiting += children


def _resident(pid: int) -> int:
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0


def _proportional(pid: int) -> int:
    """Pages of files are left out: the kernel can drop them."""
    with contextlib.suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))
    return 0
