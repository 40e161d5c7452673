"""Starting and ending containers among the machine's processes: held together by who adopts whose orphans."""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence

from sidings.node.sandbox import init
from sidings.node.sandbox.host import sweep
from sidings.node.sandbox.host.host_place import HostFacts, HostPlace
from sidings.node.sandbox.init import Streams
from sidings.node.sandbox.spec import Bind, Container, PodSandbox


class HostStarter:
    """The containers of one pod. Their inits are subreapers, and so is the shim: nothing below gets away."""

    def __init__(self, pod: PodSandbox, facts: HostFacts) -> None:
        self._pod = pod
        self._facts = facts
        self._inits: set[int] = set()

    def start(self, container: Container, managed: Sequence[Bind], control: socket.socket, streams: Streams) -> int:
        pid = os.fork()
        if pid == 0:
            try:
                init.run(container, HostPlace(container, managed, self._pod, self._facts), control, streams)
            finally:
                os._exit(1)
        self._inits.add(pid)
        return pid

    def kill(self, container: Container, pid: int) -> None:
        sweep.end_tree(pid)

    def clear(self, container: Container, pid: int) -> None:
        """What init had not ended itself is a child of the shim by now."""
        self._inits.discard(pid)
        sweep.end_children(self._inits)
