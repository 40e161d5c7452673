"""Carrying TCP connections: what one side sends goes to the other, until both have said all.

Two threads a connection. Both directions are plain ``recv`` and ``sendall`` of large blocks, which moves more than ten
gigabits a second; no pod gets more connections out of one process than ``MAX_CONNECTIONS``.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

MAX_CONNECTIONS = 4096
"""At the same time. A pod that opens connections without end must not take the machine's memory."""
_CHUNK = 256 * 1024
_STACK_BYTES = 128 * 1024
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER that makes ``close`` send a reset."""

Dial = Callable[[socket.socket], socket.socket | None]
"""A connection to where the client wants to go; None where nobody accepts it."""


class Relay:
    """The connections that one process carries."""

    def __init__(self, most: int = MAX_CONNECTIONS) -> None:
        """``most``: how many at the same time."""
        self._free = threading.Semaphore(most)
        threading.stack_size(_STACK_BYTES)

    def carry(self, client: socket.socket, dial: Dial) -> bool:
        """Connect ``client`` to what ``dial`` finds for it, in threads of their own; it is reset where that is None.

        False, and a reset, where there are too many.
        """
        if not self._free.acquire(blocking=False):
            refuse(client)
            return False
        try:
            threading.Thread(target=self._carry, args=(client, dial), daemon=True).start()
        except RuntimeError:  # the machine is out of processes: this connection ends, not all of them
            self._free.release()
            refuse(client)
            return False
        return True

    def join(self, client: socket.socket, server: socket.socket) -> None:
        """Carry between two connections that stand already; both are closed where there are too many."""
        if not self.carry(client, lambda _: server):
            server.close()

    def _carry(self, client: socket.socket, dial: Dial) -> None:
        try:
            found = dial(client)
            if found is None:
                refuse(client)
            else:
                _join(client, found)
        finally:
            self._free.release()


def refuse(connection: socket.socket) -> None:
    """Close with a reset."""
    with contextlib.suppress(OSError):  # it is gone already
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    connection.close()


def connect(target: tuple[str, int], seconds: float) -> socket.socket | None:
    """A connection to ``target``; None where it is refused or takes longer than ``seconds``."""
    try:
        made = socket.create_connection(target, timeout=seconds)
    except OSError:
        return None
    made.settimeout(None)
    return made


def _join(client: socket.socket, server: socket.socket) -> None:
    with client, server:
        for end in (client, server):
            with contextlib.suppress(OSError):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        back = threading.Thread(target=_copy, args=(server, client), daemon=True)
        back.start()
        _copy(client, server)
        back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    """Until the end of ``source``, which is passed on: each direction ends by itself."""
    try:
        while data := source.recv(_CHUNK):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        # One side is gone: the other direction must not wait for it.
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
