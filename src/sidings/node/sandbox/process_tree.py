"""Who is whose child and parent, from /proc."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


def children(pid: int) -> list[int]:
    """Of all threads of ``pid``; none for a process that has ended."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def descendants(root: int) -> Iterator[int]:
    """Everything below ``root``, which is not among them."""
    waiting = [root]
    while waiting:
        found = children(waiting.pop())
        yield from found
        waiting += found


def ancestors(pid: int) -> Iterator[int]:
    """The parent of ``pid``, its parent and so on."""
    with contextlib.suppress(OSError):
        while pid > 1:
            text = Path(f"/proc/{pid}/stat").read_text()
            pid = int(text[text.rindex(")") + 2 :].split()[1])
            yield pid
