"""The seam between a pod's shim and what a container is made of: how one is started and ended.

Whatever the tier, one process stands for a container: its *init*. It speaks ``init``'s messages on the control socket
(starts the main process when told to go, passes on signals, runs exec sessions, reports the end), and its life is the
container's. So everything that the shim does with a running container is the same everywhere; a tier only says how
that process comes to be, and what it takes to end all that is below it.
"""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Sequence
from typing import Protocol

from sidings.node.sandbox import init, launcher
from sidings.node.sandbox.init import Streams
from sidings.node.sandbox.place import NamespacesPlace
from sidings.node.sandbox.spec import Bind, Container
from sidings.node.sandbox.tier import Views


class Starter(Protocol):
    """Starts and ends the containers of one pod; used by its shim, in the shim's process."""

    def start(self, container: Container, managed: Sequence[Bind], control: socket.socket, streams: Streams) -> int:
        """Fork the container's init, which waits on ``control`` to be let go; returns its pid, a child of the caller.

        ``managed`` are the files of the pod that kubelet manages: hosts, hostname, resolver, termination log. The
        caller closes its ends of ``control`` and ``streams``. Raises ``OSError``.
        """

    def kill(self, container: Container, pid: int) -> None:
        """End the container with init ``pid`` at once, with every process of it. Init is not reaped yet."""

    def clear(self, container: Container, pid: int) -> None:
        """Init ``pid`` has ended, by itself or not, and was reaped: nothing of the container may be left after this."""


class NamespacesStarter:
    """Init is pid 1 of a pid namespace: with it the kernel ends whatever the container has started."""

    def __init__(self, shared_memory: str, views: Views) -> None:
        """``shared_memory``: the directory that the pod sees as ``/dev/shm``."""
        self._shared_memory = shared_memory
        self._views = views

    def start(self, container: Container, managed: Sequence[Bind], control: socket.socket, streams: Streams) -> int:
        place = NamespacesPlace(container, managed, self._shared_memory, self._views)
        return launcher.fork_init(lambda: init.run(container, place, control, streams))

    def kill(self, container: Container, pid: int) -> None:
        os.kill(pid, signal.SIGKILL)

    def clear(self, container: Container, pid: int) -> None:
        """The kernel has done it."""
