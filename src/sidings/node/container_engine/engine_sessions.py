"""``kubectl exec`` into a container of an engine: the sessions of init, each behind a client of the engine.

What a client starts is no child of ours. When a session's caller hangs up, the command is found by a variable in its
environment and told as if its terminal had been closed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

from sidings.node.container_engine import invocation
from sidings.node.container_engine.engine import ContainerEngine
from sidings.node.sandbox import workload
from sidings.node.sandbox.sessions import Sessions
from sidings.node.sandbox.spec import Container

MARK = "SIDINGS_SESSION"


class EngineSessions(Sessions):
    """The exec sessions of the container ``name``."""

    def __init__(self, container: Container, control: socket.socket, engine: ContainerEngine, name: str) -> None:
        super().__init__(container, control)
        self._engine = engine
        self._name = name

    def _command(
        self, number: int, argv: tuple[str, ...], descriptors: Sequence[int], terminal: bool
    ) -> workload.Command:
        client = invocation.execute(
            self._engine, self._name, argv, terminal=terminal, mark=f"{MARK}={self._mark(number)}"
        )
        stdin, stdout, stderr = descriptors
        return workload.Command(client, dict(self._engine.environment), "/", stdin, stdout, stderr, terminal)

    def hang_up(self, number: int) -> None:
        for pid in marked(Path("/proc"), f"{MARK}={self._mark(number)}"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGHUP)
        super().hang_up(number)

    def _mark(self, number: int) -> str:
        return f"{self._name}/{number}"


def marked(proc: Path, mark: str) -> list[int]:
    """Pids of the processes that were started with ``mark`` in their environment."""
    found = []
    for entry in proc.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):  # it has just ended, or is another user's
                if mark.encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
