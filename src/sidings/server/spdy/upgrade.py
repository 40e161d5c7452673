"""HTTP connections that become SPDY (``Upgrade: SPDY/3.1``): exec of kubectl 1.29, port-forward of 1.29 and 1.30.

ASGI has no word for that, and uvicorn's HTTP protocol answers such a request as if it were a plain one. This one takes
the connection over instead and presents it to the application as a WebSocket whose messages are pieces of the SPDY
stream; ``scope["spdy"]`` tells them apart, and the subprotocols are those of ``X-Stream-Protocol-Version``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

import httptools

from sidings.server.asgi import Message, Scope
from sidings.server.connections import BoundedProtocol

UPGRADE = b"spdy/3.1"
_VERSIONS = b"x-stream-protocol-version"


class UpgradingProtocol(BoundedProtocol):
    """uvicorn's HTTP protocol with one upgrade more."""

    def _should_upgrade(self) -> bool:
        return self._get_upgrade() == UPGRADE or super()._should_upgrade()

    def handle_websocket_upgrade(self) -> None:
        if self._get_upgrade() != UPGRADE:
            super().handle_websocket_upgrade()
            return
        self.connections.discard(self)
        url = httptools.parse_url(self.url)
        offered = [value.decode("latin-1") for name, value in self.headers if name == _VERSIONS]
        scope: Scope = {
            **self.scope,
            "type": "websocket",
            "spdy": True,
            "path": unquote(url.path.decode("ascii")),
            "query_string": url.query or b"",
            "subprotocols": [version.strip() for text in offered for version in text.split(",")],
        }
        taken = TakenConnection(self.transport, self.server_state.connections)
        self.transport.set_protocol(taken)
        task = self.loop.create_task(taken.run(self.app, scope))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)


class TakenConnection(asyncio.Protocol):
    """The connection from the upgrade on, as the ``receive`` and ``send`` of ASGI."""

    def __init__(self, transport: asyncio.Transport, connections: set[Any]) -> None:
        self._transport = transport
        self._connections = connections
        self._received: asyncio.Queue[Message] = asyncio.Queue()
        self._received.put_nowait({"type": "websocket.connect"})
        self._writable = asyncio.Event()
        self._writable.set()
        self._gone = False
        self._start: Message = {}
        connections.add(self)

    async def run(self, app: Callable[..., Any], scope: Scope) -> None:
        try:
            await app(scope, self._receive, self._send)
        finally:
            self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._transport.pause_reading()
        self._received.put_nowait({"type": "websocket.receive", "bytes": data})

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.discard(self)
        self.shutdown()

    def shutdown(self) -> None:
        """Called by uvicorn when the server stops, too."""
        self._gone = True
        self._writable.set()
        self._received.put_nowait({"type": "websocket.disconnect", "code": 1006})

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def _receive(self) -> Message:
        message = await self._received.get()
        if self._received.empty() and not self._gone:
            self._transport.resume_reading()
        return message

    async def _send(self, message: Message) -> None:
        await self._writable.wait()
        if self._gone:
            raise ConnectionResetError("the client is gone")
        match message["type"]:
            case "websocket.accept":
                lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: SPDY/3.1", "Connection: Upgrade"]
                self._write([*lines, f"X-Stream-Protocol-Version: {message['subprotocol']}"])
            case "websocket.send":
                self._transport.write(message["bytes"])
            case "websocket.http.response.start":
                self._start = message
            case "websocket.http.response.body":
                status = HTTPStatus(self._start["status"])
                headers = [f"{name.decode()}: {value.decode()}" for name, value in self._start["headers"]]
                self._write([f"HTTP/1.1 {status} {status.phrase}", *headers, "Connection: close"], message["body"])

    def _write(self, lines: list[str], body: bytes = b"") -> None:
        self._transport.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
