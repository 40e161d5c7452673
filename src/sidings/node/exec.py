"""``kubectl exec``: a command in a running container, its streams at the client.

The command gets pipes of its own (or a terminal that the container's init makes), so what the client does not read
holds up nobody but the command. It is over when it has ended, even where it leaves a process behind that still has its
output: what was written until then is delivered, later output of others is not.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from sidings.api.pods import Session, StreamOptions
from sidings.node import pipes
from sidings.node.descriptors import Source
from sidings.node.sandbox.client import SandboxClient
from sidings.node.streaming import drain, feed, follow_size, running, type_in

FIRST_SIZE_SECONDS = 0.2
"""How long a command on a terminal waits for the size of its client's window."""


async def execute(
    sandbox: SandboxClient, directory: Path, command: tuple[str, ...], options: StreamOptions, session: Session
) -> int:
    """The exit code of ``command``. Raises ``SandboxFailed`` where it cannot be started."""
    if options.tty:
        return await _on_terminal(sandbox, directory, command, options, session)
    with pipes.opened(options) as ends:
        handed = [ends.theirs[stream] for stream in ("stdin", *pipes.OUTPUTS)]
        async with sandbox.execute(directory, options.container, command, descriptors=handed) as shim:
            ends.handed_over()
            sources = {stream: Source(ends.ours[stream]) for stream in pipes.OUTPUTS if stream in ends.ours}
            inward = [feed(session, ends)] if options.stdin else []
            outward = [drain(source, stream, session) for stream, source in sources.items()]
            async with running(*inward), running(*outward) as outputs:
                code = int((await shim.answer())["exit_code"])
                for source in sources.values():
                    source.finish()
                await asyncio.gather(*outputs)
    return code


async def _first_size(session: Session) -> tuple[int, int] | None:
    """The size that a client with a window tells at once: a program that asks when it starts gets the right answer."""
    try:
        async with asyncio.timeout(FIRST_SIZE_SECONDS):
            return await session.resized()
    except TimeoutError:
        return None


async def _on_terminal(
    sandbox: SandboxClient, directory: Path, command: tuple[str, ...], options: StreamOptions, session: Session
) -> int:
    size = await _first_size(session)
    async with sandbox.execute(directory, options.container, command, size=size) as shim:
        [master] = shim.take_descriptors()
        try:
            outward = drain(Source(master), "stdout", session)
            inward = [type_in(session, master)] if options.stdin else []
            async with running(follow_size(session, master), *inward), running(outward) as outputs:
                # A terminal is closed when the command that it was made for ends, so it can be read to its end.
                code = int((await shim.answer())["exit_code"])
                await asyncio.gather(*outputs)
        finally:
            os.close(master)
    return code
