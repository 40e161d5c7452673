"""A user namespace in which the caller is root, or who he wants to be, and nobody else exists: no helper program is
needed for that.
"""

from __future__ import annotations

import os
from pathlib import Path

from sidings.node.sandbox import syscalls


def enter(others: int = 0, *, user: int = 0, group: int = 0) -> None:
    """Make one, together with the namespaces of ``others`` (``CLONE_NEW*``), which then belong to it.

    The caller is ``user`` and ``group`` in it, and has all capabilities until it starts a program.

    Raises ``OSError``; also where a machine makes the namespace but leaves the caller without rights in it.
    """
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(others | syscalls.CLONE_NEWUSER)
    syscalls.become_dumpable()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {gid} 1")


def knows(user: int, group: int) -> bool:
    """Whether both exist in the current one, so that root of it can change to them."""
    return _maps(Path("/proc/self/uid_map"), user) and _maps(Path("/proc/self/gid_map"), group)


def _maps(file: Path, number: int) -> bool:
    ranges = [tuple(map(int, line.split())) for line in file.read_text().splitlines()]
    return any(first <= number < first + count for first, _, count in ranges)
