"""Commands that are run in a container beside its main process: ``kubectl exec``, from the inside.

Init forks them, so they are in every namespace of the container without anybody needing the right to enter it, and
end with it. A session's descriptors come from its client; a terminal is made here, on the container's own ``/dev/pts``,
and its master goes to the client.

Messages on init's control socket, beside those of ``init``::

    shim -> init   {"exec": {id, argv, terminal, size}} with the descriptors   {"hang_up": id}
    init -> shim   {"session": id, "started": true} with the terminal's master
                   {"session": id, "error": message}   {"session": id, "exit_code": code}
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import socket
import struct
import termios
from collections.abc import Callable, Sequence
from typing import Any

from sidings.node.sandbox import workload
from sidings.node.sandbox.spec import Container
from sidings.node.sandbox.workload import Command

TERMINAL_TYPE = "xterm"
"""``TERM`` of a command with a terminal whose container does not set it, as kubelet's runtimes do."""


class Sessions:
    """The exec sessions of one container."""

    def __init__(
        self, container: Container, control: socket.socket, placed: Callable[[Command], Command] = lambda same: same
    ) -> None:
        """``placed``: how a command is to be started where the container's processes are."""
        self._container = container
        self._placed = placed
        self._control = control
        self._ids: dict[int, int] = {}
        """Pid of a session's command -> id."""

    def start(self, request: dict[str, Any], descriptors: Sequence[int]) -> None:
        """Start the command of ``request`` with ``descriptors`` (stdin, stdout, stderr; none for a terminal)."""
        number, master, opened = request["id"], None, list(descriptors)
        try:
            if request["terminal"]:
                master, slave = os.openpty()
                opened = [slave] * 3
                if request["size"]:
                    columns, rows = request["size"]
                    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            command = self._command(number, tuple(request["argv"]), opened, bool(request["terminal"]))
            pid = workload.start(self._placed(command))
        except workload.StartError as error:
            self._send({"session": number, "error": error.message})
        except OSError as error:
            self._send({"session": number, "error": str(error)})
        else:
            self._ids[pid] = number
            self._send({"session": number, "started": True}, [master] if master is not None else [])
        finally:
            for descriptor in {*opened, *([master] if master is not None else [])}:
                os.close(descriptor)

    def ended(self, pid: int, status: int) -> None:
        """A process of the container was reaped; ``status`` is its wait status."""
        number = self._ids.pop(pid, None)
        if number is not None:
            code = os.waitstatus_to_exitcode(status)
            self._send({"session": number, "exit_code": 128 - code if code < 0 else code})

    def hang_up(self, number: int) -> None:
        """The session's client is gone: its command is told as if its terminal had been closed."""
        for pid, known in self._ids.items():
            if known == number:
                os.killpg(pid, signal.SIGHUP)

    def kill(self) -> None:
        """The main process has ended while the container is being stopped: sessions get no grace of their own."""
        for pid in self._ids:
            os.killpg(pid, signal.SIGKILL)

    def _command(self, number: int, argv: tuple[str, ...], descriptors: Sequence[int], terminal: bool) -> Command:
        """What is started for session ``number``."""
        environment = self._container.environment
        if terminal:
            environment = {"TERM": TERMINAL_TYPE, **environment}
        stdin, stdout, stderr = descriptors
        return Command(argv, environment, self._container.directory, stdin, stdout, stderr, terminal)

    def _send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        with contextlib.suppress(ConnectionError):  # the shim is gone; this process is about to hear of it
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors)
