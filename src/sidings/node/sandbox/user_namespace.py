"""A user namespace in which the caller is root and nobody else exists; no helper program is needed for that."""

from __future__ import annotations

import os
from pathlib import Path

from sidings.node.sandbox import syscalls


def enter(others: int = 0) -> None:
    """Make one, together with the namespaces of ``others`` (``CLONE_NEW*``), which then belong to it.

    Raises ``OSError``; also where a machine makes the namespace but leaves the caller without rights in it.
    """
    uid, gid = os.geteuid(), os.getegid()
    syscalls.unshare(others | syscalls.CLONE_NEWUSER)
    syscalls.become_dumpable()
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
