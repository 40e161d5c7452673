"""How much memory a process and its descendants use, where no control group counts it.

Resident pages that several processes share count once for each: a pool of forked loader workers would be killed long
before its time. So the cheap sum only says when to look closer, at proportional shares. For these the kernel takes a
lock of each process, which one that forks without end hardly gives back; so a child looks, and not for long.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from collections.abc import Iterable
from pathlib import Path

from sidings.node.sandbox.descendants import descendants

_PAGE = os.sysconf("SC_PAGE_SIZE")
_PATIENCE_SECONDS = 0.5
"""A second look comes a second after the first; a shim that waits for one does nothing else."""


def exceeds(root: int, limit_bytes: int) -> bool:
    """Whether the processes below ``root`` hold more than ``limit_bytes`` of anonymous and shared memory.

    Those that cannot be looked at in time do not: it takes a fork bomb, and that is ``process_count``'s.
    """
    found = list(descendants(root))
    return sum(map(_resident, found)) > limit_bytes and _shares_exceed(found, limit_bytes)


def _shares_exceed(processes: Iterable[str], limit_bytes: int) -> bool:
    """``exceeds`` by proportional shares, as far as a child finds out in ``_PATIENCE_SECONDS``."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, b"more" if sum(map(_proportional, processes)) > limit_bytes else b"less")
        finally:
            os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], _PATIENCE_SECONDS)
    answer = os.read(reader, 4) if ready else b""
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return answer == b"more"


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
