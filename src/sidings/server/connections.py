"""How many connections there may be, and how long one may take to say what it wants.

uvicorn bounds neither: it waits for ever for a request that comes byte by byte, and takes connections until the process
has no file descriptor left, for its own database among others. So who is one too many is told so at once and hung up
on, and the first are served as before; the head of a request must be complete within ``HEAD_SECONDS``.
"""

from __future__ import annotations

import asyncio
import resource
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from sidings.server.limits import CONNECTIONS, HEAD_SECONDS

TOO_MANY = (
    b"HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\n"
    b"Content-Type: text/plain; charset=utf-8\r\nContent-Length: 45\r\n\r\n"
    b"Too many connections, please try again later."
)
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True)
class Bounds:
    """``most`` connections at a time; ``head_seconds`` from a request's first byte to the end of its headers."""

    most: int = CONNECTIONS
    head_seconds: float = HEAD_SECONDS


def of_this_process() -> Bounds:
    """Half of the descriptors that this process may have: the other half is for pods, the database and logs.

    The soft limit is raised first; the usual 1,024 are few for an API server.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return Bounds(CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard // 2))


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP protocol within ``bounds``."""

    def __init__(self, *args: Any, bounds: Bounds, **named: Any) -> None:
        super().__init__(*args, **named)
        self._bounds = bounds
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        if len(self.connections) > self._bounds.most:
            transport.write(TOO_MANY)
            transport.close()
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        self._await_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def _await_head(self) -> None:
        self._stop_waiting()
        self._head_timer = self.loop.call_later(self._bounds.head_seconds, self._give_up)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _give_up(self) -> None:
        self.transport.write(TOO_SLOW)
        self.transport.close()
