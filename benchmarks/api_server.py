"""How fast the API server is over TLS: gets, lists of 100, durable creates, and how soon 100 watchers see a change.

    python benchmarks/api_server.py [--seconds 5] [--connections 8]

The server runs in a process of its own on a SQLite store in a temporary directory, without controllers; the load comes
from this process over keep-alive connections. Figures are for the machine that runs it: see ``docs/performance.md``.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sidings.api.objects import Object
from sidings.api.pods import LogOptions
from sidings.api.resources import CONFIG_MAPS, NAMESPACES, PODS
from sidings.client import kubeconfig
from sidings.client.credentials import tls_context
from sidings.client.http import HttpClient
from sidings.client.kubeconfig import ClientConfig

WATCHERS = 100
CHANGES = 20


class NoPods:
    async def logs(self, pod: Object, options: LogOptions) -> AsyncIterator[bytes]:
        return
        yield b""


async def serve(folder: Path) -> None:
    """The server's process: runs until it is killed."""
    from sidings.api import catalog
    from sidings.clock import SystemClock
    from sidings.registry.registry import Registry
    from sidings.server import pki
    from sidings.server.app import App
    from sidings.server.auth import ADMIN, StaticTokens
    from sidings.server.serve import ApiServer, bind
    from sidings.store.store import Store

    clock, rng = SystemClock(), random.Random()
    identity = pki.ensure(folder / "pki", datetime.now(UTC))
    registry = Registry(Store.open(folder / "store.db"), catalog.builtin(), clock, rng)
    app = App(registry, NoPods(), StaticTokens({identity.token: ADMIN}), clock, rng)
    server = ApiServer(app, bind("127.0.0.1", 0), identity.certificate_file, identity.key_file)
    gc.set_threshold(100_000, 50, 1000)
    kubeconfig.write(
        folder / "kubeconfig", server=server.url, certificate_authority=identity.authority, token=identity.token
    )
    await server.serve()


class Load(asyncio.Protocol):
    """One connection that sends the next request as soon as it has the last answer."""

    def __init__(self, next_request: Callable[[], bytes], counts: list[int]) -> None:
        self._next_request = next_request
        self._counts = counts
        self._received = bytearray()
        self._wanted = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(self._next_request())

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        if self._wanted < 0:
            end = received.find(b"\r\n\r\n")
            if end < 0:
                return
            head = bytes(received[:end]).lower()
            status = head.split(b" ", 2)[1]
            if status not in (b"200", b"201"):
                raise RuntimeError(f"the server answered {bytes(received)!r}")
            self._wanted = end + 4 + int(head.split(b"content-length:")[1].split(b"\r\n")[0])
        if len(received) >= self._wanted:
            received.clear()
            self._wanted = -1
            self._counts[0] += 1
            self.transport.write(self._next_request())


async def rate(config: ClientConfig, next_request: Callable[[], bytes], connections: int, seconds: float) -> float:
    """Requests a second over ``connections`` keep-alive connections."""
    url = urlsplit(config.server)
    context = tls_context(config, b"", b"")
    counts = [0]
    loop = asyncio.get_running_loop()
    made = [
        await loop.create_connection(
            lambda: Load(next_request, counts), url.hostname, url.port, ssl=context, server_hostname=url.hostname
        )
        for _ in range(connections)
    ]
    await asyncio.sleep(0.5)
    before, began = counts[0], time.perf_counter()
    await asyncio.sleep(seconds)
    done = (counts[0] - before) / (time.perf_counter() - began)
    for transport, _ in made:
        transport.abort()
    return done


def request(config: ClientConfig, method: str, path: str, body: Any = None) -> bytes:
    raw = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {config.token}\r\n"
    if raw:
        head += f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\n"
    return head.encode() + b"\r\n" + raw


def pod(name: str) -> Object:
    """A pod of about 1.4 KB once it is stored, as trainers have."""
    environment = [{"name": f"SETTING_{number}", "value": f"value-{number}"} for number in range(10)]
    container = {"name": "main", "image": "python:3.11", "command": ["torchrun", "train.py"], "env": environment}
    return {
        "metadata": {"name": name, "namespace": "bench", "labels": {"job": "bench"}},
        "spec": {"containers": [container]},
    }


async def watch_latency(client: HttpClient) -> list[float]:
    """Seconds from sending a change until each of ``WATCHERS`` watchers has it, for ``CHANGES`` changes."""
    sent: dict[str, float] = {}
    delays: list[float] = []
    ready = asyncio.Semaphore(0)

    async def watch() -> None:
        async for event in client.watch(CONFIG_MAPS, "bench"):
            name = event.object["metadata"]["name"]
            if name == "first":
                ready.release()
            else:
                delays.append(time.perf_counter() - sent[name])

    await client.create(CONFIG_MAPS, {"metadata": {"name": "first", "namespace": "bench"}})
    watchers = [asyncio.create_task(watch()) for _ in range(WATCHERS)]
    for _ in range(WATCHERS):
        await ready.acquire()
    for number in range(CHANGES):
        name = f"change-{number}"
        sent[name] = time.perf_counter()
        await client.create(CONFIG_MAPS, {"metadata": {"name": name, "namespace": "bench"}})
        await asyncio.sleep(0.2)
    for watcher in watchers:
        watcher.cancel()
    await asyncio.gather(*watchers, return_exceptions=True)
    return delays


async def measure(config: ClientConfig, connections: int, seconds: float) -> None:
    async with HttpClient(config) as client:
        await client.create(NAMESPACES, {"metadata": {"name": "bench"}})
        for number in range(100):
            await client.create(PODS, pod(f"pod-{number:03}"))
        path = PODS.path("bench")
        get = request(config, "GET", f"{path}/pod-050")
        print(f"get             {await rate(config, lambda: get, connections, seconds):8.0f} /s")
        one = await rate(config, lambda: get, 1, seconds)
        print(f"get, 1 conn.    {one:8.0f} /s   {1000 / one:.2f} ms")
        listing = request(config, "GET", path)
        print(f"list of 100     {await rate(config, lambda: listing, connections, seconds):8.0f} /s")
        numbers = iter(range(10**9))
        settings = CONFIG_MAPS.path("bench-create")
        await client.create(NAMESPACES, {"metadata": {"name": "bench-create"}})

        def create() -> bytes:
            return request(config, "POST", settings, {"metadata": {"name": f"c-{next(numbers)}"}, "data": {"a": "b"}})

        print(f"durable create  {await rate(config, create, 4 * connections, seconds):8.0f} /s")
        delays = await watch_latency(client)
        quantiles = statistics.quantiles(delays, n=100)
        print(f"watch, {WATCHERS} watchers: p50 {1000 * quantiles[49]:.1f} ms, p99 {1000 * quantiles[98]:.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="time for each figure")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve:
        import uvloop

        uvloop.run(serve(arguments.serve))
        return
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, __file__, "--serve", folder])
        try:
            config_file = Path(folder) / "kubeconfig"
            while not config_file.exists():
                if server.poll() is not None:
                    raise SystemExit("the server did not start")
                time.sleep(0.05)
            config: ClientConfig = kubeconfig.load([config_file])
            asyncio.run(measure(config, arguments.connections, arguments.seconds))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
