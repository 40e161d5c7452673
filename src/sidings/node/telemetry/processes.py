"""CPU time and memory of process trees, from /proc: the one source that every tier and every user has.

A tree's CPU time counts what its processes and the children they have waited for used, so it does not fall when a
process ends. Memory is what is resident and not shared (pages of libraries, and the job's /dev/shm, belong to many), as
cAdvisor's ``container_memory_rss``.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Process:
    parent: int
    cpu_seconds: float


@dataclass(frozen=True)
class Usage:
    """Of a tree: CPU time since its start, and memory now."""

    cpu_seconds: float
    memory_bytes: int


def table(proc: Path = PROC) -> dict[int, Process]:
    """All processes of the machine that we may see. A process that ends meanwhile is left out."""
    found = {}
    with os.scandir(proc) as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    for name in names:
        # The command in parentheses may hold anything; what follows the last one is numbers. Field 3 comes first.
        fields = _read(f"{proc}/{name}/stat").rpartition(b")")[2].split()
        if fields:
            ticks = sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
            found[int(name)] = Process(int(fields[1]), ticks / _TICKS)
    return found


def usage(processes: Mapping[int, Process], roots: Iterable[int], proc: Path = PROC) -> dict[int, Usage]:
    """What each root and everything below it uses; roots that have ended are left out."""
    children = defaultdict(list)
    for pid, process in processes.items():
        children[process.parent].append(pid)
    found = {}
    for root in roots:
        if root not in processes:
            continue
        cpu, memory, open_pids = 0.0, 0, [root]
        while open_pids:
            pid = open_pids.pop()
            cpu += processes[pid].cpu_seconds
            memory += _private_bytes(f"{proc}/{pid}/statm")
            open_pids += children[pid]
        found[root] = Usage(cpu, memory)
    return found


def _private_bytes(statm: str) -> int:
    fields = _read(statm).split()
    return (int(fields[1]) - int(fields[2])) * _PAGE if fields else 0


def _read(file: str) -> bytes:
    """A small file of /proc, empty where its process has ended. A third of the time that ``Path.read_bytes`` takes."""
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
