"""``exec``: well if the command ends with 0 (kubelet's ``pkg/probe/exec``)."""

from __future__ import annotations

import asyncio

from sidings.api.objects import Object
from sidings.node.errors import NodeError
from sidings.node.health.answer import OUTPUT_BYTES, Answer
from sidings.node.health.place import Place


async def check(action: Object, place: Place, seconds: float | None) -> Answer:
    """Run the command in the container; it is killed after ``seconds``."""
    argv = [str(word) for word in action["command"]]
    try:
        async with asyncio.timeout(seconds):
            code, output = await place.reach.execute(place.container, argv)
    except TimeoutError:
        return Answer(False, f'command "{" ".join(argv)}" timed out')
    except (NodeError, OSError) as error:
        return Answer(False, str(error), broken=True)
    return Answer(code == 0, output[:OUTPUT_BYTES].decode(errors="replace"))
