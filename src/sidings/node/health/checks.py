"""Putting a probe's or hook's question, whichever of the four ways it names."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from sidings.api.objects import Object
from sidings.node.errors import NodeError
from sidings.node.health import command, grpc_health, http_get, tcp_socket
from sidings.node.health.answer import Answer
from sidings.node.health.place import Place

Check = Callable[[Object, Place, float], Awaitable[Answer]]

PROBES: Mapping[str, Check] = {
    "httpGet": http_get.check,
    "tcpSocket": tcp_socket.check,
    "grpc": grpc_health.check,
    "exec": command.check,
}


async def ask(handler: Object, place: Place, seconds: float, kinds: Mapping[str, Check] = PROBES) -> Answer:
    """One answer of ``place`` to ``handler`` (an object with ``exec``, ``httpGet``, ... in it), never an exception
    for what a container does wrong. ``kinds`` says how each is asked."""
    check, action = next((check, handler[name]) for name, check in kinds.items() if handler.get(name) is not None)
    try:
        return await check(action, place, seconds)
    except (NodeError, OSError, ValueError) as error:
        return Answer(False, str(error), broken=True)
