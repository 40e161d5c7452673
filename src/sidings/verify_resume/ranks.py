"""Which process is which rank: torchrun tells its workers in their environment."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil

from sidings.verify_resume import losses


def kill_one(processes: Iterable[psutil.Process], rng: random.Random, log: Path | None = None) -> str:
    """SIGKILL a rank among ``processes``, with ``log`` one that tells its losses there; what was done, or ``""``."""
    found = {}
    for process, environ in _with_environments(processes):
        rank = environ.get("RANK", "")
        if rank.isdecimal() and (log is None or environ.get(losses.VARIABLE) == str(log)):
            found[int(rank)] = process
    if not found:
        return ""
    chosen = rng.choice(sorted(found))
    found[chosen].kill()
    return f"SIGKILL of rank {chosen}"


def started_with(processes: Iterable[psutil.Process], log: Path) -> list[psutil.Process]:
    """Those that know ``log``, also where whoever started them is gone, such as what a rank that was killed started."""
    return [one for one, environ in _with_environments(processes) if environ.get(losses.VARIABLE) == str(log)]


def _with_environments(processes: Iterable[psutil.Process]) -> Iterator[tuple[psutil.Process, dict[str, str]]]:
    for process in processes:
        try:
            yield process, process.environ()
        except psutil.Error:  # it has just ended, or is somebody else's
            continue
