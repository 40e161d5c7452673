"""A WebSocket in memory: what an ASGI server would hand to the application, and the client at its other end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from sidings.server.web_socket import WebSocket


class Wire:
    """The client's end. ``sent`` are the application's messages; after ``leave`` nothing can be sent any more."""

    def __init__(self, *subprotocols: str) -> None:
        self.sent: list[dict[str, Any]] = []
        self._incoming: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._news = asyncio.Event()
        self._gone = False
        self.receive = self._incoming.get
        self.socket = WebSocket({"subprotocols": list(subprotocols)}, self.receive, self.send)

    def connect(self) -> None:
        self._incoming.put_nowait({"type": "websocket.connect"})

    def say(self, *messages: bytes) -> None:
        for message in messages:
            self._incoming.put_nowait({"type": "websocket.receive", "bytes": message})

    def say_text(self, message: str) -> None:
        self._incoming.put_nowait({"type": "websocket.receive", "text": message})

    def leave(self) -> None:
        self._gone = True
        self._incoming.put_nowait({"type": "websocket.disconnect", "code": 1006})

    def vanish(self) -> None:
        """Gone without a word: only who sends finds out."""
        self._gone = True

    @property
    def heard(self) -> list[bytes]:
        return [message["bytes"] for message in self.sent if message["type"] == "websocket.send"]

    async def hears(self, wanted: bytes) -> None:
        """Wait until the messages so far, put together, have ``wanted`` in them."""
        await self.until(lambda: wanted in b"".join(self.heard))

    async def closed(self) -> int:
        """The code with which the application closes."""
        await self.until(lambda: bool(self.sent) and self.sent[-1]["type"] == "websocket.close")
        return int(self.sent[-1]["code"])

    async def until(self, met: Callable[[], bool]) -> None:
        """Wait until the messages so far make it true."""
        async with asyncio.timeout(60):
            while not met():
                self._news.clear()
                await self._news.wait()

    async def send(self, message: Any) -> None:
        if self._gone:
            raise OSError("the client is gone")
        self.sent.append(message)
        self._news.set()
