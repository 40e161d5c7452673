"""Streams of a session as channels of one WebSocket: ``v5.channel.k8s.io`` and ``v4.channel.k8s.io``.

The first byte of each message is its channel. Version 5 adds one message, "this channel is closed", without which a
client cannot end its stdin (``k8s.io/apimachinery/pkg/util/remotecommand/constants.go``, v1.36). kubectl asks for
version 5 only, the Python client for version 4.
"""

from __future__ import annotations

import asyncio
import json

from sidings.api.objects import Object
from sidings.server.responses import encode
from sidings.server.web_socket import WebSocket

V5, V4 = "v5.channel.k8s.io", "v4.channel.k8s.io"
STDIN, STDOUT, STDERR, ERROR, RESIZE, CLOSE = 0, 1, 2, 3, 4, 255

WAITING_MESSAGES = 4
"""How much of a client's stdin is taken before the process has read it."""
STILL_THERE_SECONDS = 5.0
"""How often a client whose stdin is not read is sent an empty message, which alone tells whether it is still there."""


class Channels:
    """The client of one exec or attach: ``api.pods.Session``."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket
        self._stdin: asyncio.Queue[bytes] = asyncio.Queue(WAITING_MESSAGES)
        self._sizes: asyncio.Queue[tuple[int, int]] = asyncio.Queue(1)

    async def receive(self) -> None:
        """Sort what the client sends, until it is gone."""
        while (message := await self._socket.receive()) is not None:
            channel, data = message[:1], message[1:]
            if channel == bytes([STDIN]) and data:
                await self._put(data)
            elif channel == bytes([CLOSE]) and data == bytes([STDIN]):
                await self._put(b"")
            elif channel == bytes([RESIZE]) and (size := window_size(data)) is not None:
                if self._sizes.full():
                    self._sizes.get_nowait()  # only the last one counts
                self._sizes.put_nowait(size)

    async def finish(self, status: Object) -> None:
        """How it ended; the client closes after that."""
        await self._socket.send(bytes([ERROR]) + encode(status))

    async def read(self) -> bytes:
        return await self._stdin.get()

    async def write(self, stream: str, data: bytes) -> None:
        await self._socket.send(bytes([STDERR if stream == "stderr" else STDOUT]) + data)

    async def resized(self) -> tuple[int, int]:
        return await self._sizes.get()

    async def _put(self, data: bytes) -> None:
        while True:
            try:
                async with asyncio.timeout(STILL_THERE_SECONDS):
                    await self._stdin.put(data)
                return
            except TimeoutError:
                await self._socket.send(bytes([STDOUT]))


def window_size(data: bytes) -> tuple[int, int] | None:
    """``{"Width": 80, "Height": 24}``; None for what is none, or none that a terminal can have."""
    try:
        size = json.loads(data)
        columns, rows = int(size["Width"]), int(size["Height"])
    except (ValueError, KeyError, TypeError):
        return None
    return (columns, rows) if 0 < columns < 65536 and 0 < rows < 65536 else None
