"""Starting pid 1 of a new pid namespace."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NoReturn

from sidings.node.sandbox import syscalls


def fork_init(run: Callable[[], NoReturn]) -> int:
    """Start ``run`` as pid 1 of a new pid namespace; returns its pid as seen from here.

    The namespace is made by a launcher in between, because a process may unshare NEWPID only once; init then becomes
    this process's child, the nearest subreaper, when the launcher ends.
    """
    reader, writer = os.pipe()
    launcher = os.fork()
    if launcher == 0:
        try:
            syscalls.unshare(syscalls.CLONE_NEWPID)
            pid = os.fork()
            if pid == 0:
                run()
            os.write(writer, str(pid).encode())
        finally:
            os._exit(0)
    os.close(writer)
    pid_text = os.read(reader, 32)
    os.close(reader)
    os.waitpid(launcher, 0)
    if not pid_text:
        raise OSError("no new pid namespace could be made")
    return int(pid_text)
