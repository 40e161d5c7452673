"""A control group of version 2 that systemd has handed to this user (``Delegate=yes``).

It may hand controllers down only once it has no processes of its own, so whoever is in it moves to a group below. That
is done only where systemd has marked it as handed over: a terminal's own group is left alone.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

MARK = "user.delegate"
"""Extended attribute that systemd sets (since 251)."""
ENGINE = "sidings-engine"
"""Where this process and those beside it move to."""


def is_delegated(group: Path) -> bool:
    with contextlib.suppress(OSError):
        return os.getxattr(group, MARK) == b"1"
    return False


def handed_over(group: Path) -> Path:
    """The group that was handed over, if ``group``, of which this process is a member, is one that it has moved to."""
    return group.parent if group.name == ENGINE else group


def make_room(group: Path) -> None:
    """Move all processes of ``group`` to a group below it. Raises ``OSError``."""
    below = group / ENGINE
    below.mkdir(exist_ok=True)
    for pid in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (below / "cgroup.procs").write_text(pid)
