"""One request and its answer, over ASGI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, unquote

from sidings.s3.errors import S3Error
from sidings.s3.signature import Request

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
LARGEST_DOCUMENT = 4 << 20
"""Bytes of XML that a request may bring: 10,000 parts, or 1,000 keys to delete."""


class Exchange:
    """``bucket`` and ``key`` are "" where the path names none."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        path = scope["raw_path"].partition(b"?")[0].decode("latin-1")
        self.request = Request(scope["method"], path, pairs, self.headers)
        self.query = dict(pairs)
        self.method: str = scope["method"]
        self.bucket, _, self.key = unquote(path).removeprefix("/").partition("/")
        self._read = False

    async def body(self) -> AsyncIterator[bytes]:
        """As it arrives. Raises ``S3Error`` where the client leaves before the end."""
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise S3Error("IncompleteBody", "The client left before the end of the body.")
            self._read = not message.get("more_body")
            yield message.get("body", b"")
            if self._read:
                return

    async def drained(self, most: int) -> bool:
        """Let go of what is left of the body, up to ``most`` bytes; whether that was all of it."""
        if self._read:
            return True
        with suppress(S3Error):
            async for data in self.body():
                most -= len(data)
                if most < 0:
                    break
        return self._read

    async def document(self) -> bytes:
        """The whole of a body that is XML."""
        whole = bytearray()
        async for data in self.body():
            whole += data
            if len(whole) > LARGEST_DOCUMENT:
                raise S3Error("EntityTooLarge", "Your request's document is larger than any that is allowed.")
        return bytes(whole)

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": encoded})

    async def more(self, data: bytes, *, last: bool = False) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": not last})

    async def answer(self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None) -> None:
        """All at once; ``body`` is XML."""
        kind = {"content-type": "application/xml"} if body else {}
        await self.begin(status, {"content-length": str(len(body)), **kind, **(headers or {})})
        await self.more(b"" if self.method == "HEAD" else body, last=True)
