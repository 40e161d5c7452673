"""Who has come to one running container: exec sessions, and clients attached to its output.

The shim only passes things on: a session's command is started by init (``sessions``), its descriptors are the
client's. A visit lasts as long as the client's connection; whoever hangs up takes the session along.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import selectors
import socket
from collections.abc import Callable, Sequence
from typing import Any

from sidings.node.sandbox.attachments import Attachment
from sidings.node.sandbox.protocol import Connection

NOT_STARTED = "the container ended before the command was started"


class Visits:
    """The visits to one container whose init listens on ``control``."""

    def __init__(
        self,
        control: socket.socket,
        selector: selectors.BaseSelector,
        pause: Callable[[bool], None],
        killed: int,
    ) -> None:
        """``pause`` stops reading the container's output or goes on; ``killed`` is what sessions of its end get."""
        self._control = control
        self._selector = selector
        self._pause = pause
        self._killed = killed
        self._numbers = itertools.count(1)
        self._sessions: dict[int, Connection] = {}
        self._started: set[int] = set()
        self._attached: dict[Connection, Attachment] = {}
        self._full: list[int] = []

    # Exec

    def execute(self, connection: Connection, request: dict[str, Any], descriptors: Sequence[int]) -> None:
        """Have init start ``argv``; ``descriptors`` stay the caller's to close. The answer comes from init."""
        number = next(self._numbers)
        wanted = {"exec": {"id": number, **{key: request[key] for key in ("argv", "terminal", "size")}}}
        try:
            socket.send_fds(self._control, [json.dumps(wanted).encode()], descriptors)
        except OSError as error:
            connection.send({"error": str(error)})
            return
        self._sessions[number] = connection

    def hear(self, news: dict[str, Any], descriptors: Sequence[int]) -> None:
        """A message of ``sessions``; ``descriptors`` stay the caller's to close."""
        number = news["session"]
        connection = self._sessions.get(number)
        if "started" in news:
            self._started.add(number)
        else:
            self._sessions.pop(number, None)
            self._started.discard(number)
        if connection is None:
            if "started" in news:
                self._tell_hang_up(number)  # the client left while the command was being started
            return
        answers: dict[str, Any] = {key: news[key] for key in ("error", "exit_code") if key in news}
        connection.send(answers or {"ok": True}, descriptors)

    # Attach

    def attach(self, connection: Connection, attachment: Attachment) -> None:
        self._attached[connection] = attachment

    def copy(self, stream: str, data: bytes) -> None:
        """Output for everybody who is attached."""
        for attachment in self._attached.values():
            attachment.write(stream, data)
        self._regulate()

    @property
    def overdue_at(self) -> float | None:
        """When the next client that takes nothing is to be let go."""
        moments = [attachment.overdue_at for attachment in self._attached.values() if attachment.pending]
        return min(moments, default=None)

    def drop_overdue(self, now: float) -> None:
        for attachment in self._attached.values():
            if attachment.pending and attachment.overdue_at <= now:
                attachment.close()
        self._regulate()

    def _flush(self) -> None:
        for attachment in self._attached.values():
            attachment.flush()
        self._regulate()

    def _regulate(self) -> None:
        """Read the container's output only while everybody has what was read."""
        before = bool(self._full)
        for fd in self._full:
            self._selector.unregister(fd)
        self._full = [fd for attachment in self._attached.values() for fd in attachment.waiting_for]
        for fd in self._full:
            self._selector.register(fd, selectors.EVENT_WRITE, self._flush)
        if bool(self._full) != before:
            self._pause(bool(self._full))

    # Ends

    def hang_up(self, connection: Connection) -> None:
        """``connection`` was closed by its client."""
        for number in [number for number, known in self._sessions.items() if known is connection]:
            del self._sessions[number]
            if number in self._started:
                self._started.discard(number)
                self._tell_hang_up(number)
        attachment = self._attached.pop(connection, None)
        if attachment is not None:
            attachment.close()
            self._regulate()

    def end(self) -> None:
        """The container is over, and its sessions with it."""
        for number, connection in self._sessions.items():
            started = number in self._started
            connection.send({"exit_code": self._killed} if started else {"error": NOT_STARTED})
        self._sessions.clear()
        for attachment in self._attached.values():
            attachment.finish()
        self._attached.clear()
        for fd in self._full:
            self._selector.unregister(fd)
        self._full = []

    def _tell_hang_up(self, number: int) -> None:
        with contextlib.suppress(OSError):  # init is dying, and takes the session along
            self._control.send(json.dumps({"hang_up": number}).encode())


def close_all(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
