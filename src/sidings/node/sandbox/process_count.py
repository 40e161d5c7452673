"""How many processes and threads a container has, where no control group counts them.

A look comes every second, and a fork bomb is fast. So there are two bounds: the container is ended at the next look
once it is over its limit, and until then the kernel lets all containers of this user have no more than ``ceiling``
together (RLIMIT_NPROC), which leaves everybody else something to go on with.
"""

from __future__ import annotations

import contextlib
import resource
from itertools import islice
from pathlib import Path

from sidings.node.sandbox.descendants import descendants

_MAXIMA = (Path("/proc/sys/kernel/pid_max"), Path("/proc/sys/kernel/threads-max"))
_LOAD = Path("/proc/loadavg")


def ceiling() -> int:
    """Half of what this machine can have."""
    return min(int(file.read_text()) for file in _MAXIMA) // 2


def cap() -> None:
    """Hold this process and all that it starts to the ceiling; root of the machine knows no such bound."""
    _, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    bound = ceiling() if hard == resource.RLIM_INFINITY else min(ceiling(), hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (bound, bound))


def exceeds(root: int, limit: int) -> bool:
    """Whether more than ``limit`` processes and threads are below ``root``."""
    if _on_this_machine() <= limit:  # one small file says no nearly always
        return False
    found = list(islice(descendants(root), limit + 1))
    return len(found) > limit or sum(map(_threads, found)) > limit


def _on_this_machine() -> int:
    """All processes and threads, whoever has them."""
    return int(_LOAD.read_text().split()[3].partition("/")[2])


def _threads(process: str) -> int:
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path(process, "task").iterdir())
    return 0
