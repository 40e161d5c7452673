"""Runs an ASGI app on a TLS socket, inside the engine's own event loop.

uvicorn does the HTTP. What is ours: the socket is bound before anything else starts (so a taken port is an error of
``up``, and port 0 becomes a number that a kubeconfig can name), signals stay with the host, and closing ends every
stream first.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvicorn

from sidings.server import connections, limits
from sidings.server.app import App
from sidings.server.spdy.upgrade import UpgradingProtocol

CLOSE_SECONDS = 5
BACKLOG = 1024


class ApiServer:
    """A running server. ``port`` is known as soon as it is made; ``serve`` runs until ``close``."""

    def __init__(
        self,
        app: App,
        listener: socket.socket,
        certificate_file: Path,
        key_file: Path,
        *,
        bounds: connections.Bounds | None = None,
    ) -> None:
        """``bounds`` None: what this process can bear."""
        protocol = partial(UpgradingProtocol, bounds=bounds or connections.of_this_process())
        self._app = app
        self._listener = listener
        self.address, self.port = listener.getsockname()[:2]
        self._uvicorn = _Uvicorn(
            uvicorn.Config(
                app,
                http=protocol,  # type: ignore[arg-type]  # it is only called
                ws="wsproto",
                ws_max_size=limits.MESSAGE_BYTES,
                ws_per_message_deflate=False,
                ws_ping_interval=None,  # a client whose stdin waits to be read cannot answer
                lifespan="off",
                log_config=None,
                log_level="warning",  # it would say of every exec what is run
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=limits.KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=CLOSE_SECONDS,
                ssl_certfile=certificate_file,
                ssl_keyfile=key_file,
            )
        )

    @property
    def url(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"https://{host}:{self.port}"

    async def serve(self) -> None:
        """Serve until ``close`` is called; cancelling closes as well."""
        try:
            await self._uvicorn.serve(sockets=[self._listener])
        except asyncio.CancelledError:
            self.close()
            await self._uvicorn.shutdown(sockets=[self._listener])
            raise

    def close(self) -> None:
        """End all streams, answer what is being answered, then return from ``serve``."""
        self._app.close()
        self._uvicorn.should_exit = True


def bind(address: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises OSError where the port is taken."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
