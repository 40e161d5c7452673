"""Messages on the unix sockets of zygote and shim: one JSON object per line, both ways.

A request carries ``op``; its answer has ``ok: true`` or ``error``. Descriptors travel with either (SCM_RIGHTS). Socket
files may lie deeper than the 107 bytes that a unix address holds, so both ends address them through an open directory
in ``/proc/self/fd``.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

MAX_MESSAGE = 4 * 1024 * 1024
"""Bytes of one message; the environment of a container is the largest part and the kernel's own limit is 2 MiB."""
MAX_DESCRIPTORS = 4
"""Descriptors that may come with one message: stdin, stdout, stderr of a session."""


class Connection:
    """The server's side of one client: buffers input until a line is complete."""

    def __init__(self, connected: socket.socket) -> None:
        self.socket = connected
        self._buffer = b""
        self._descriptors: list[int] = []

    def fileno(self) -> int:
        return self.socket.fileno()

    def receive(self) -> list[dict[str, Any]] | None:
        """The requests that arrived; None once the client has hung up or broken the protocol."""
        try:
            chunk, descriptors, _, _ = socket.recv_fds(self.socket, 65536, MAX_DESCRIPTORS)
        except ConnectionError:
            return None
        self._descriptors += descriptors
        if not chunk or len(self._buffer) + len(chunk) > MAX_MESSAGE:
            return None
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        try:
            return [json.loads(line) for line in lines]
        except ValueError:
            return None

    def take_descriptors(self) -> list[int]:
        """What came with the request being served; the caller closes them."""
        taken, self._descriptors = self._descriptors, []
        return taken

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Send; a client that is gone or does not read is not waited for longer than a second."""
        self.socket.settimeout(1)
        line = json.dumps(message).encode() + b"\n"
        with contextlib.suppress(OSError):
            if descriptors:
                line = line[socket.send_fds(self.socket, [line], descriptors) :]
            self.socket.sendall(line)

    def close(self) -> None:
        for descriptor in self.take_descriptors():
            os.close(descriptor)
        self.socket.close()


@contextlib.contextmanager
def short_path(path: Path) -> Iterator[str]:
    """``path`` as an address that fits a unix socket, valid inside the context."""
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)


def listen(path: Path) -> socket.socket:
    """A listening socket at ``path`` (mode 0600), replacing one that a dead process left."""
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with short_path(path) as address:
        listener.bind(address)
    path.chmod(0o600)
    listener.listen(128)
    return listener


def accept(listener: socket.socket, admits: Callable[[int], bool]) -> Connection | None:
    """The connection that waits, or None where ``admits`` refuses the pid of the process that has connected."""
    connected, _ = listener.accept()
    if not admits(_peer(connected)):
        connected.close()
        return None
    return Connection(connected)


def _peer(connected: socket.socket) -> int:
    return int(struct.unpack("3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0])
