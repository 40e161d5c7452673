"""The ways into a running pod that its probes and hooks take: through its shim."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Sequence
from pathlib import Path

from sidings.node.descriptors import Source
from sidings.node.health.answer import OUTPUT_BYTES
from sidings.node.sandbox.client import SandboxClient


class PodReach:
    """``health.place.Reach`` into the pod of ``directory``."""

    def __init__(self, sandbox: SandboxClient, directory: Path) -> None:
        self._sandbox = sandbox
        self._directory = directory

    async def new_socket(self) -> socket.socket:
        """See ``Reach``. Raises ``SandboxFailed`` or ``OSError``."""
        return await self._sandbox.new_socket(self._directory)

    def placed(self, host: str, port: int) -> tuple[str, int]:
        """See ``Reach``."""
        return self._sandbox.tier.placed(host, port)

    async def connect(self, host: str, port: int) -> socket.socket:
        """A connection to an address of the pod, from inside its network. Raises ``SandboxFailed`` or ``OSError``."""
        return await connected(await self.new_socket(), self.placed(host, port))

    async def execute(self, container: str, argv: Sequence[str]) -> tuple[int, bytes]:
        """See ``Reach``. Raises ``SandboxFailed`` where the command cannot be started, or ``OSError``."""
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        reader, writer = os.pipe2(os.O_CLOEXEC)
        output = Source(reader)
        reading = asyncio.create_task(_beginning(output))
        try:
            async with self._sandbox.execute(
                self._directory, container, argv, descriptors=(null, writer, writer)
            ) as session:
                answer = await session.answer()
            # What the command has left running may still hold the pipe.
            output.finish()
            return int(answer["exit_code"]), await reading
        finally:
            reading.cancel()
            await asyncio.wait([reading])
            for descriptor in (null, reader, writer):
                os.close(descriptor)


async def connected(made: socket.socket, target: tuple[str, int]) -> socket.socket:
    """``made`` once it is connected; closed where that fails. Raises ``OSError``."""
    try:
        await asyncio.get_running_loop().sock_connect(made, target)
    except BaseException:
        made.close()
        raise
    return made


async def _beginning(output: Source) -> bytes:
    """Everything that is written, of which only the beginning is kept."""
    kept = b""
    while data := await output.read():
        kept = (kept + data)[:OUTPUT_BYTES]
    return kept
