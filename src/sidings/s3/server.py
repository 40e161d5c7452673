"""The app on a loopback socket, until stdin ends."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys

import uvicorn

from sidings.s3.app import App

HOST = "127.0.0.1"
_CLOSE_SECONDS = 5


def listen(port: int) -> socket.socket:
    """``port`` where it is free, else any: pods go by the Service's port, whatever this one is."""
    if port:
        with contextlib.suppress(OSError):
            return socket.create_server((HOST, port))
    return socket.create_server((HOST, 0))


async def serve(app: App, listener: socket.socket) -> None:
    """Until whoever started this process closes its stdin, or ends."""
    config = uvicorn.Config(
        app,
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_CLOSE_SECONDS,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    await asyncio.to_thread(sys.stdin.read)
    server.should_exit = True
    await serving
