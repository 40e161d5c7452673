"""Ending processes where no kernel object holds them together: by descent, and by a mark in their environment.

Descent finds everything while one of the supervisors lives, because each of them adopts the orphans below it. The
mark is for those whose supervisors were all killed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

from sidings.node.sandbox import process_tree

MARK = "SIDINGS_POD"
"""Variable of every process of a pod: the pod's directory."""
_PATIENCE_SECONDS = 5.0
_POLL_SECONDS = 0.002


def end_children(kept: Collection[int] = ()) -> None:
    """Kill and reap all children of this process but ``kept``, with all below them, until none is left.

    A process that cannot die (waiting for a disk) is not waited for longer than five seconds.
    """
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while strays := [pid for pid in process_tree.children(os.getpid()) if pid not in kept]:
        for stray in strays:
            for pid in (stray, *process_tree.descendants(stray)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(stray, os.WNOHANG)
        if time.monotonic() > deadline:
            return
        time.sleep(_POLL_SECONDS)


def end_tree(root: int) -> None:
    """Kill ``root`` and everything below it, once."""
    for pid in (*process_tree.descendants(root), root):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def end_marked(pods: Collection[str]) -> None:
    """Kill every process that carries the mark of one of the directories ``pods``."""
    wanted = {f"{MARK}={directory}".encode() for directory in pods}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted.intersection((folder / "environ").read_bytes().split(b"\0")):
                    os.kill(int(folder.name), signal.SIGKILL)
