"""Requests that become something else than an answer: ``pods/exec``, ``pods/attach`` and ``pods/portforward``.

Everything that can be refused is refused before the WebSocket is accepted, as a Status; what goes wrong afterwards is
said on the session's own channel. A session ends when its work ends, when its client is gone, or when the server
closes; in each case the work is cancelled, and the node hangs up on the process.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from sidings.api.objects import Object
from sidings.api.pods import PodAccess, Session, StreamOptions
from sidings.api.resources import PODS
from sidings.api.status import ApiError, BadRequest, InternalError, NotFound
from sidings.registry.registry import Registry
from sidings.server import exec, port_forward
from sidings.server.channels import V4, V5, Channels
from sidings.server.paths import ResourcePath
from sidings.server.requests import Request
from sidings.server.spdy.connection import Connection
from sidings.server.spdy.session import SpdyStreams
from sidings.server.web_socket import GOING_AWAY, NORMAL, WebSocket

log = logging.getLogger(__name__)

SUBRESOURCES = frozenset({"exec", "attach", "portforward"})

Work = Callable[[WebSocket], Coroutine[Any, Any, None]]
Call = Callable[[Session], Awaitable[Object]]


class Upgrades:
    """Serves the sessions of one registry's pods."""

    def __init__(self, registry: Registry, pods: PodAccess) -> None:
        self._registry = registry
        self._pods = pods

    def prepare(self, request: Request, path: ResourcePath, socket: WebSocket) -> tuple[str, Work]:
        """The subprotocol to accept, and what to do then. Raises ``ApiError``."""
        kind = self._registry.catalog.by_plural(path.group, path.version, path.plural)
        if kind is None or kind.resource != PODS or path.subresource not in SUBRESOURCES or not path.namespace:
            raise NotFound("the server could not find the requested resource")
        pod = self._registry.get(kind, path.name, path.namespace).object
        if path.subresource == "portforward":
            return self._port_forward(pod, request, socket)
        wanted = exec.options(request.query, pod)
        argv = exec.command(request.query) if path.subresource == "exec" else ()

        def call(client: Session) -> Awaitable[Object]:
            if path.subresource == "attach":
                return exec.attach(self._pods, pod, wanted, client)
            return exec.execute(self._pods, pod, argv, wanted, client)

        if socket.spdy:
            return _chosen(socket.subprotocols, V4), _over_spdy(wanted, call)
        return _chosen(socket.subprotocols, V5, V4), _over_channels(call)

    def _port_forward(self, pod: Object, request: Request, socket: WebSocket) -> tuple[str, Work]:
        if socket.spdy:
            chosen = _chosen(socket.subprotocols, port_forward.PLAIN_SPDY)
        else:
            chosen = _chosen(socket.subprotocols, port_forward.TUNNELLED_SPDY, V4)
        if chosen == V4:
            ports = port_forward.ports_of(request.query)
            return chosen, lambda socket: port_forward.serve_channels(self._pods, pod, ports, socket)
        return chosen, lambda socket: port_forward.serve_spdy(self._pods, pod, socket)


async def serve(socket: WebSocket, subprotocol: str, work: Work, closing: asyncio.Event) -> None:
    """Accept, and do ``work`` until it is over or the server closes."""
    await socket.accept(subprotocol)
    doing, closed = asyncio.create_task(work(socket)), asyncio.create_task(_wait(closing))
    try:
        await asyncio.wait([doing, closed], return_when=asyncio.FIRST_COMPLETED)
        over = doing.done()
    finally:
        for task in (doing, closed):
            task.cancel()
        await asyncio.gather(doing, closed, return_exceptions=True)
    if over and not isinstance(doing.exception(), OSError | None):
        log.error("a session failed unexpectedly", exc_info=doing.exception())
    try:
        await socket.close(NORMAL if over else GOING_AWAY)
    except OSError:
        log.debug("the client of a session left first")


def _over_channels(call: Call) -> Work:
    async def work(socket: WebSocket) -> None:
        client = Channels(socket)
        if (status := await _while_there(client.receive(), _status_of(call(client)))) is not None:
            await client.finish(status)

    return work


def _over_spdy(wanted: StreamOptions, call: Call) -> Work:
    async def work(socket: WebSocket) -> None:
        client = SpdyStreams(wanted)

        async def calling() -> Object:
            await client.complete()
            return await _status_of(call(client))

        if (status := await _while_there(Connection(socket, client.opened).serve(), calling())) is not None:
            await client.finish(status)

    return work


async def _while_there(receiving: Coroutine[Any, Any, None], calling: Coroutine[Any, Any, Object]) -> Object | None:
    """The result of ``calling``; None where the client was gone before."""
    client, work = asyncio.create_task(receiving), asyncio.create_task(calling)
    try:
        await asyncio.wait([client, work], return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else None
    finally:
        for task in (client, work):
            task.cancel()
        await asyncio.gather(client, work, return_exceptions=True)


async def _status_of(call: Awaitable[Object]) -> Object:
    """The Status that ends a session, also where the session could not be had."""
    try:
        return await call
    except ApiError as error:
        return error.to_status()
    except OSError:
        raise
    except Exception as error:
        # One session that meets a bug must be told so, and the engine must go on with all others.
        log.exception("a session failed unexpectedly")
        return InternalError(f"Internal error occurred: {type(error).__name__}: {error}").to_status()


def _chosen(offered: tuple[str, ...], *served: str) -> str:
    """The first of ``served`` that the client offers. Raises BadRequest."""
    for protocol in served:
        if protocol in offered:
            return protocol
    raise BadRequest(f"unable to upgrade: none of the protocols {list(offered)} is served, only {list(served)}")


async def _wait(event: asyncio.Event) -> None:
    await event.wait()
