"""``pods/portforward``: TCP connections into a pod, many over one connection of the client.

kubectl speaks SPDY (inside a WebSocket since 1.31): a pair of streams, ``error`` and ``data`` with one ``requestid``,
for every TCP connection. The Python client speaks channels: the ports are in the query, ``2i`` is data and ``2i+1``
error of the i-th, once. Nothing is ever written to an error stream of a connection that was made.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, Protocol

from sidings.api.objects import Object, name_of, uid_of
from sidings.api.pods import PodPorts
from sidings.api.status import ApiError, BadRequest
from sidings.server.queries import Query
from sidings.server.spdy.connection import Connection, Stream, Transport
from sidings.server.spdy.frames import FrameError
from sidings.server.web_socket import WebSocket

log = logging.getLogger(__name__)

TUNNELLED_SPDY, PLAIN_SPDY = "SPDY/3.1+portforward.k8s.io", "portforward.k8s.io"
CHUNK_BYTES = 32 * 1024


class Side(Protocol):
    """The client's end of one direction, or of both."""

    async def read(self) -> bytes: ...

    async def write(self, data: bytes) -> None: ...

    async def close_writing(self) -> None: ...


class Forwarder:
    """Connections into one pod. Leaving the context ends them."""

    def __init__(self, pods: PodPorts, pod: Object) -> None:
        self._pods = pods
        self._pod = pod
        self._tasks: set[asyncio.Task[None]] = set()
        self._halves: dict[str, Stream] = {}

    async def __aenter__(self) -> Forwarder:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def opened(self, stream: Stream) -> None:
        """A stream of a pair; the second one makes the connection."""
        request = stream.headers.get("requestid", "")
        other = self._halves.pop(request, None)
        if other is None:
            self._halves[request] = stream
            return
        error, data = (other, stream) if other.headers.get("streamtype") == "error" else (stream, other)
        task = asyncio.create_task(self._pair(data, error))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _pair(self, data: Stream, error: Stream) -> None:
        with contextlib.suppress(OSError):  # the client is gone
            try:
                await self.forward(data.headers.get("port", ""), data, error)
            finally:
                await data.close()
                await error.close()

    async def forward(self, port: str, data: Side, error: Side) -> None:
        """One connection to ``port``, until the pod closes it."""
        try:
            connected = await self._pods.connect(self._pod, port_number(port))
        except (ApiError, OSError) as refused:
            why = refused.message if isinstance(refused, ApiError) else _reason(refused)
            text = f"error forwarding port {port} to pod {name_of(self._pod)}, uid {uid_of(self._pod)}: {why}"
            await error.write(text.encode())
            return
        with connected:
            upward = asyncio.create_task(_send(connected, data))
            try:
                await _receive(connected, data)
            finally:
                upward.cancel()
                await asyncio.gather(upward, return_exceptions=True)


async def serve_spdy(pods: PodPorts, pod: Object, transport: Transport) -> None:
    """Until the client is gone."""
    async with Forwarder(pods, pod) as forwarder:
        try:
            await Connection(transport, forwarder.opened).serve()
        except FrameError as error:
            log.info("a port-forward ended: not SPDY: %s", error)


def ports_of(query: Query) -> list[str]:
    """The ports of a client of channels. Raises BadRequest."""
    ports = [port for text in query.texts("ports") for port in text.split(",")]
    if not ports:
        raise BadRequest('query parameter "ports" is required')
    for port in ports:
        port_number(port)
    return ports


async def serve_channels(pods: PodPorts, pod: Object, ports: Sequence[str], socket: WebSocket) -> None:
    """Until the pod has closed every connection, or the client is gone."""
    pairs = [(_Channel(socket, 2 * index), _Channel(socket, 2 * index + 1)) for index in range(len(ports))]
    for port, pair in zip(ports, pairs, strict=True):
        for channel in pair:
            await channel.write(struct.pack("<H", port_number(port)))
    forwarder = Forwarder(pods, pod)
    work = [forwarder.forward(port, *pair) for port, pair in zip(ports, pairs, strict=True)]
    receiving = asyncio.create_task(_sort(socket, [channel for pair in pairs for channel in pair]))
    forwarding = asyncio.create_task(_all(work))
    try:
        await asyncio.wait([receiving, forwarding], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (receiving, forwarding):
            task.cancel()
        await asyncio.gather(receiving, forwarding, return_exceptions=True)


async def _all(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    async with asyncio.TaskGroup() as tasks:
        for each in work:
            tasks.create_task(each)


class _Channel:
    """One channel of a WebSocket, as a ``Side``."""

    def __init__(self, socket: WebSocket, number: int) -> None:
        self._socket = socket
        self._number = number
        self.received: asyncio.Queue[bytes] = asyncio.Queue(4)

    async def read(self) -> bytes:
        return await self.received.get()

    async def write(self, data: bytes) -> None:
        await self._socket.send(bytes([self._number]) + data)

    async def close_writing(self) -> None:
        """There is no such message: a client of channels learns of the end when the WebSocket closes."""


async def _sort(socket: WebSocket, channels: Sequence[_Channel]) -> None:
    while (message := await socket.receive()) is not None:
        if len(message) > 1 and message[0] < len(channels) and message[0] % 2 == 0:
            await channels[message[0]].received.put(message[1:])


async def _send(connected: socket.socket, data: Side) -> None:
    """What the client sends, until it ends or the pod takes no more."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(OSError):
        while chunk := await data.read():
            await loop.sock_sendall(connected, chunk)
        connected.shutdown(socket.SHUT_WR)


async def _receive(connected: socket.socket, data: Side) -> None:
    """What the pod sends, until it ends."""
    loop = asyncio.get_running_loop()
    with contextlib.suppress(ConnectionResetError):
        while chunk := await loop.sock_recv(connected, CHUNK_BYTES):
            await data.write(chunk)
    await data.close_writing()


def _reason(error: OSError) -> str:
    return os.strerror(error.errno).lower() if error.errno else str(error)


def port_number(text: str) -> int:
    """Raises BadRequest for what is no port."""
    if text.isascii() and text.isdigit() and 0 < int(text) < 65536:
        return int(text)
    raise BadRequest(f'"{text}" is not a port')
