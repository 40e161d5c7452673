"""The end of a run waits until the threads of torch's process groups have let go of what they carried.

A collective is done for who waits for it while gloo's thread still holds its tensors. To let go of one, that thread
needs the interpreter's lock; where the interpreter is ending by then, Python ends the thread in the middle of torch's
destructors, and the process aborts (SIGABRT, "terminate called without an active exception", torch 2.13): one run of
forty that were complete, on a machine that was busy. torch has no call that waits for these threads, so they are looked
at: one that sleeps and has not run since the last look, while the lock was free, has nothing left to let go of.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

NAME = "pt_gloo_runloop"  # as torch calls these threads
TASKS = Path("/proc/self/task")
_PAUSE = 0.005  # seconds between two looks
_LOOKS = 1000  # at most: a thread that never sleeps must not keep a run from ending


class Look(NamedTuple):
    """``switches``: how often the thread was given a core, or gave it back, so far."""

    asleep: bool
    switches: int


def wait(tasks: Path = TASKS, pause: Callable[[], None] = lambda: time.sleep(_PAUSE)) -> bool:
    """Whether they are idle now, after some seconds at most. ``pause`` lets go of the interpreter's lock."""
    before = looks(tasks)
    for _ in range(_LOOKS):
        pause()
        now = looks(tasks)
        if idle(before, now):
            return True
        before = now
    return False


def idle(before: Mapping[str, Look], now: Mapping[str, Look]) -> bool:
    """Whether none of the threads has run between two looks."""
    return all(look.asleep and before.get(thread) == look for thread, look in now.items())


def looks(tasks: Path) -> dict[str, Look]:
    """The threads of this process that gloo runs, by number; none where the system has no such files."""
    found = {}
    for task in tasks.glob("*"):
        with suppress(OSError):  # it has just ended
            if (task / "comm").read_text().strip() == NAME:
                found[task.name] = _look((task / "status").read_text())
    return found


def _look(status: str) -> Look:
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    counts = (fields.get(f"{kind}_ctxt_switches", "0") for kind in ("voluntary", "nonvoluntary"))  # not of every kernel
    return Look(fields.get("State", "").startswith("S"), sum(map(int, counts)))
