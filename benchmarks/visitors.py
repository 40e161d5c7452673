"""Thousands of clients that connect, ask once and then only hold their connection open."""

from __future__ import annotations

import asyncio
import resource
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast
from urllib.parse import urlsplit

from sidings.client.credentials import tls_context
from sidings.client.kubeconfig import ClientConfig

AT_ONCE = 32
_DESCRIPTORS_BESIDE = 100


class Visitor(asyncio.Protocol):
    """One connection; ``code`` is what it was answered with, 0 while there is no answer."""

    def __init__(self, request: bytes) -> None:
        self._request = request
        self.code = 0
        self.is_open = True
        self.answered = asyncio.Event()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.ask()

    def ask(self) -> None:
        """Once more, on the same connection."""
        assert self._transport is not None
        self.answered.clear()
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"HTTP/1.1 "):
            self.code = int(data[9:12])
            self.answered.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        self.answered.set()

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()


@asynccontextmanager
async def of(config: ClientConfig, count: int) -> AsyncIterator[list[Visitor]]:
    """``count`` visitors who have had their answers and stay."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard != resource.RLIM_INFINITY and hard < count + _DESCRIPTORS_BESIDE:
        raise SystemExit(f"{count} connections need more file descriptors than the {hard} that this process may have")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    url, context = urlsplit(config.server), tls_context(config, b"", b"")
    request = f"GET /readyz HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode()
    loop, gate = asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE)

    async def visit() -> Visitor:
        async with gate:
            _, visitor = await loop.create_connection(lambda: Visitor(request), url.hostname, url.port, ssl=context)
            await visitor.answered.wait()
            return visitor

    visitors = await asyncio.gather(*(visit() for _ in range(count)))
    try:
        yield list(visitors)
    finally:
        for visitor in visitors:
            visitor.close()
