"""``tcpSocket``: well if something accepts (kubelet's ``pkg/probe/tcp``)."""

from __future__ import annotations

import asyncio

from sidings.api.objects import Object
from sidings.node.health.answer import Answer
from sidings.node.health.dialing import DialFailed, dial
from sidings.node.health.place import Place


async def check(action: Object, place: Place, seconds: float) -> Answer:
    """Connect within ``seconds``. Raises ``ValueError`` for a port that the container does not name."""
    host, port = action.get("host") or place.address, place.port(action["port"])
    try:
        async with asyncio.timeout(seconds), dial(place.reach, host, port):
            return Answer(True)
    except TimeoutError:
        return Answer(False, f"dial tcp {host}:{port}: i/o timeout")
    except DialFailed as error:
        return Answer(False, str(error))
