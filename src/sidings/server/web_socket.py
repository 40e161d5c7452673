"""One WebSocket of a client, over ASGI; or a connection that became SPDY, whose messages are pieces of that stream.

Kubernetes' protocols send binary messages; a text message is taken for its bytes, because the Python client sends text
as text.
"""

from __future__ import annotations

from sidings.server.asgi import Receive, Scope, Send
from sidings.server.responses import Response

NORMAL, GOING_AWAY = 1000, 1001


class WebSocket:
    """``subprotocols`` are what the client offers, in its order of preference."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.subprotocols: tuple[str, ...] = tuple(scope["subprotocols"])
        self.spdy = bool(scope.get("spdy"))
        self._receive = receive
        self._send = send

    async def refuse(self, response: Response) -> None:
        """Answer as to a plain request, instead of ``accept``."""
        headers = [(b"content-type", response.content_type), (b"content-length", str(len(response.body)).encode())]
        start = {"type": "websocket.http.response.start", "status": response.status, "headers": headers}
        await self._send(start)
        await self._send({"type": "websocket.http.response.body", "body": response.body})

    async def accept(self, subprotocol: str) -> None:
        await self._receive()  # websocket.connect, the first message of all
        await self._send({"type": "websocket.accept", "subprotocol": subprotocol})

    async def receive(self) -> bytes | None:
        """The next message; None once the client is gone."""
        message = await self._receive()
        if message["type"] == "websocket.disconnect":
            return None
        data: str | bytes = message.get("text") or message.get("bytes") or b""
        return data.encode() if isinstance(data, str) else data

    async def send(self, data: bytes) -> None:
        """Returns when the client's connection has room for more. Raises ``OSError`` once the client is gone."""
        await self._send({"type": "websocket.send", "bytes": data})

    async def close(self, code: int = NORMAL) -> None:
        await self._send({"type": "websocket.close", "code": code})
