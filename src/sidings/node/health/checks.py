"""Putting a probe's or hook's question, whichever of the four ways it names."""

from __future__ import annotations

from sidings.api.objects import Object
from sidings.node.errors import NodeError
from sidings.node.health import command, grpc_health, http_get, tcp_socket
from sidings.node.health.answer import Answer
from sidings.node.health.place import Place

_KINDS = {
    "httpGet": http_get.check,
    "tcpSocket": tcp_socket.check,
    "grpc": grpc_health.check,
    "exec": command.check,
}


async def ask(handler: Object, place: Place, seconds: float) -> Answer:
    """One answer of ``place`` to ``handler`` (an object with ``exec``, ``httpGet``, ... in it), never an exception
    for what a container does wrong."""
    check, action = next((check, handler[name]) for name, check in _KINDS.items() if handler.get(name) is not None)
    try:
        return await check(action, place, seconds)
    except (NodeError, OSError, ValueError) as error:
        return Answer(False, str(error), broken=True)
