"""A container that holds a pod's namespaces for docker, whose daemon cannot be told to use those of a process.

The pod's shim joins the namespaces of this container instead of making its own; the pod's containers join it, too;
``pause_image`` makes the image.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from sidings.node.container_engine import invocation, program
from sidings.node.container_engine.complaint import complaint
from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.sandbox import syscalls

IMAGE = "sidings-pause:1"


def join(engine: ContainerEngine, pod_uid: str, hostname: str) -> None:
    """Start the pause container of a pod and enter its network, host name and System V namespace."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2  # as a tmpfs has by itself
    made = program.ask(invocation.pause(engine, pod_uid, hostname, IMAGE, half), engine.environment)
    if made.exit_code:
        raise OSError(errno.EIO, complaint(made.errors), "pause container")
    state = program.ask(invocation.inspect(engine, invocation.pause_name(pod_uid)), engine.environment)
    pid = invocation.parse_state(state.output).pid
    kinds = {"net": syscalls.CLONE_NEWNET, "uts": syscalls.CLONE_NEWUTS, "ipc": syscalls.CLONE_NEWIPC}
    for name, kind in kinds.items():
        fd = os.open(Path(f"/proc/{pid}/ns/{name}"), os.O_RDONLY | os.O_CLOEXEC)
        try:
            syscalls.setns(fd, kind)
        finally:
            os.close(fd)
