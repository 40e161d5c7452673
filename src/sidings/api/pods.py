"""What a server needs from whoever runs the pods: their logs, and ways into them.

The node agent implements it, the server and the in-process client get it handed in; neither imports the other.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from sidings.api.objects import Object


@dataclass(frozen=True)
class LogOptions:
    """``v1.PodLogOptions``. ``container`` is resolved by the server before the call."""

    container: str
    follow: bool = False
    previous: bool = False
    since: datetime | None = None
    timestamps: bool = False
    tail_lines: int | None = None
    limit_bytes: int | None = None


@dataclass(frozen=True)
class StreamOptions:
    """Which streams a client wants of ``container`` (resolved by the server); ``tty``: they are one terminal."""

    container: str
    stdin: bool = False
    stdout: bool = False
    stderr: bool = False
    tty: bool = False


class Session(Protocol):
    """The client of one ``exec`` or ``attach``, as whoever runs the pod sees it.

    Any of it may be cancelled: a client that is gone ends the call that serves it.
    """

    async def read(self) -> bytes:
        """The next bytes of its stdin; ``b""`` once it has closed it."""
        ...

    async def write(self, stream: str, data: bytes) -> None:
        """Pass on output of ``stream`` (``stdout`` or ``stderr``); returns when the client has room for more."""
        ...

    async def resized(self) -> tuple[int, int]:
        """The next size of its window, in columns and rows."""
        ...


class PodLogs(Protocol):
    def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        """Log bytes as kubectl shows them; with ``follow`` until the container ends.

        Raises ``BadRequest`` where the container has not started or there is no previous one.
        """
        ...


class PodSessions(Protocol):
    async def execute(self, pod: Object, command: tuple[str, ...], options: StreamOptions, session: Session) -> int:
        """Run ``command`` in a running container; returns its exit code.

        A call that is cancelled hangs up on the command. Raises ``BadRequest`` where the container does not run,
        ``InternalError`` where the command cannot be started.
        """
        ...

    async def attach(self, pod: Object, options: StreamOptions, session: Session) -> None:
        """Give the client what the container has written since it started, then what it writes, until it ends.

        With ``stdin`` what the client sends is the container's input, if it has one that nobody has taken. Raises
        ``BadRequest`` where the container has not started.
        """
        ...


class PodPorts(Protocol):
    async def connect(self, pod: Object, port: int) -> socket.socket:
        """A connection, not blocking, to what listens on ``port`` of the pod's loopback address.

        Raises ``BadRequest`` where the pod does not run, ``OSError`` where nobody answers.
        """
        ...


USAGE_WINDOW_SECONDS = 1.0
"""Over how long ``PodUsage.usage`` measures."""


@dataclass(frozen=True)
class Usage:
    """Of one container: processor cores, and memory that is its own."""

    cpu_cores: float
    memory_bytes: int


class PodUsage(Protocol):
    async def usage(self, pods: Sequence[Object]) -> Mapping[str, Mapping[str, Usage]]:
        """What the running containers of ``pods`` use, by pod uid and container."""
        ...


class PodAccess(PodLogs, PodSessions, PodPorts, PodUsage, Protocol):
    """Access to running and finished pods; keyed by pod uid, so that a re-created name never shows old lines."""
