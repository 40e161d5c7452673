"""The processes below one, from /proc: what a container is where no control group holds it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sidings.node.sandbox import process_tree


def descendants(root: int) -> Iterator[str]:
    """The directories in some /proc of all processes below ``root``, a container's init.

    A container with pids of its own has a /proc in which just its processes are. Otherwise the family tree is followed
    (orphans of a container become its init's children, so none is missed); the kernel makes lists of children slowly,
    and with locks that hold up every fork of the machine, so a fork bomb must not be looked at in this way.
    """
    own = f"/proc/{root}/root/proc"
    if _has_others_only(own):
        with contextlib.suppress(OSError), os.scandir(own) as entries:
            yield from (f"{own}/{entry.name}" for entry in entries if entry.name.isdigit() and entry.name != "1")
        return
    yield from (f"/proc/{pid}" for pid in process_tree.descendants(root))


def _has_others_only(proc: str) -> bool:
    """Whether this process is not in ``proc``, which therefore is of another pid namespace. That of an init that has
    not entered its root yet is this machine's."""
    try:
        Path(proc, "self").readlink()
    except OSError:
        return Path(proc).is_dir()
    return False
