"""Many watchers of one object that changes at a steady rate: how long after the write each of them sees it.

The time is taken when the write is sent and travels in the object, so it includes making the write durable.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import time
from typing import cast
from urllib.parse import urlsplit

import uvloop

from sidings.client.credentials import tls_context
from sidings.client.kubeconfig import ClientConfig

_SENT = re.compile(rb'"sent":"(\d+)"')


class _Watcher(asyncio.Protocol):
    """One connection with one watch; ``delays`` gets seconds."""

    def __init__(self, request: bytes, delays: list[float], ready: asyncio.Semaphore) -> None:
        self._request = request
        self._delays = delays
        self._ready = ready
        self._begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self._request)  # uvloop's own class, no subclass of it

    def data_received(self, data: bytes) -> None:
        if not self._begun:
            if b'"ADDED"' in data:
                self._begun = True
                self._ready.release()
            return
        now = time.monotonic_ns()
        self._delays += [(now - int(sent)) / 1e9 for sent in _SENT.findall(data)]


async def _measure(config: ClientConfig, path: str, watchers: int, per_second: float, seconds: float) -> list[float]:
    url = urlsplit(config.server)
    context = tls_context(config, b"", b"")
    name = path.rpartition("/")[2]
    head = f"Host: {url.netloc}\r\nAuthorization: Bearer {config.token}\r\n"
    collection = path.rpartition("/")[0]
    query = f"watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name%3D{name}"
    request = f"GET {collection}?{query} HTTP/1.1\r\n{head}\r\n".encode()
    delays: list[float] = []
    ready = asyncio.Semaphore(0)
    loop = asyncio.get_running_loop()
    made = []
    for _ in range(watchers):
        transport, _ = await loop.create_connection(
            lambda: _Watcher(request, delays, ready), url.hostname, url.port, ssl=context
        )
        made.append(transport)
    for _ in range(watchers):
        await ready.acquire()
    reader, writer = await asyncio.open_connection(url.hostname, url.port, ssl=context)
    for _ in range(int(per_second * seconds)):
        body = json.dumps({"metadata": {"annotations": {"sent": str(time.monotonic_ns())}}}).encode()
        lines = f"PATCH {path} HTTP/1.1\r\n{head}Content-Type: application/merge-patch+json\r\n"
        writer.write(f"{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await asyncio.gather(asyncio.sleep(1 / per_second), _answer(reader))
    await asyncio.sleep(1)
    for transport in (*made, writer):
        transport.close()
    expected = int(per_second * seconds) * watchers
    if len(delays) != expected:
        raise SystemExit(f"{len(delays)} events came of {expected}")
    return delays


async def _answer(reader: asyncio.StreamReader) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    assert length is not None and b" 200 " in head, head
    await reader.readexactly(int(length[1]))


def measure(
    config: ClientConfig, path: str, *, watchers: int, per_second: float, seconds: float
) -> tuple[float, float]:
    """Milliseconds after which 50 and 99 % of the events had come, of changes of the object at ``path``."""
    delays = uvloop.run(_measure(config, path, watchers, per_second, seconds))
    quantiles = statistics.quantiles(delays, n=100)
    return quantiles[49] * 1000, quantiles[98] * 1000
