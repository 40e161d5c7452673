"""``kubectl attach``: what a container has written so far, then what it writes, and its stdin.

A cluster shows a client only what comes after it; ``kubectl run --attach`` then misses what a quick container wrote
before. Here the log is replayed up to the moment at which the shim began to copy, so that nothing is missed or doubled.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Collection, Coroutine, Iterable
from pathlib import Path
from typing import Any

from sidings.api.pods import Session, StreamOptions
from sidings.node import logs, pipes
from sidings.node.descriptors import Source
from sidings.node.errors import SandboxFailed
from sidings.node.logs import Position
from sidings.node.pipes import Pipes
from sidings.node.sandbox.client import SandboxClient
from sidings.node.sandbox.conversation import Conversation
from sidings.node.streaming import drain, feed, follow_size, running, type_in


async def attach(
    sandbox: SandboxClient, directory: Path, log: Path, known: Position, options: StreamOptions, session: Session
) -> None:
    """Until the container ends. ``log`` is that of its newest attempt, which may have ended already; the client knows
    what is in it up to ``known``.
    """
    streams = [stream for stream in pipes.OUTPUTS if getattr(options, stream)]
    async with contextlib.AsyncExitStack() as stack:
        ends = stack.enter_context(pipes.opened(StreamOptions(**dict.fromkeys(streams, True), container="")))
        copies = {stream: ends.theirs[stream] for stream in streams}
        try:
            answer, shim = await stack.enter_async_context(
                sandbox.attach(directory, options.container, copies, stdin=options.stdin)
            )
        except (SandboxFailed, OSError):
            # It has ended, and the shim perhaps with it: the log is all there is.
            await _replay(logs.pieces(log, known), streams, session)
            return
        ends.handed_over()
        inward = _inward(answer, shim, ends, session, stack)
        await _replay(logs.pieces(log, known, Position(*answer["log"])), streams, session)
        outward = [drain(Source(ends.ours[stream]), stream, session) for stream in streams]
        async with running(*inward) as inputs, running(*outward) as outputs:
            await asyncio.gather(*(outputs or inputs))


def _inward(
    answer: dict[str, Any], shim: Conversation, ends: Pipes, session: Session, stack: contextlib.AsyncExitStack
) -> list[Coroutine[Any, Any, None]]:
    """What is to be done with the container's stdin or terminal, where the shim has given us that."""
    work: list[Coroutine[Any, Any, None]] = []
    for descriptor in shim.take_descriptors():
        os.set_blocking(descriptor, False)
        if answer["terminal"]:
            stack.callback(os.close, descriptor)
            work.append(follow_size(session, descriptor))
            if answer["stdin"]:
                work.append(type_in(session, descriptor))
        else:
            ends.ours["stdin"] = descriptor
            work.append(feed(session, ends))
    return work


async def _replay(pieces: Iterable[tuple[str, bytes]], streams: Collection[str], session: Session) -> None:
    for stream, text in pieces:
        if stream in streams:
            await session.write(stream, text)
