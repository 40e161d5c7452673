"""The processes below one, from /proc: what a container is where no control group holds it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


def descendants(root: int) -> Iterator[int]:
    """Pids below ``root``, our own init: orphans of a container become its children, so none is missed."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{pid}/task").iterdir():
                children = [int(child) for child in (task / "children").read_text().split()]
                yield from children
                waiting += children
