"""A connection to a shim over which open files pass in both directions (SCM_RIGHTS), which asyncio's streams cannot."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sidings.node import descriptors as files
from sidings.node.errors import SandboxFailed
from sidings.node.sandbox.protocol import MAX_DESCRIPTORS, short_path


class Conversation:
    """One request, and answers to it until somebody hangs up."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._buffer = b""
        self._descriptors: list[int] = []

    async def ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> dict[str, Any]:
        """The first answer to ``request``. Raises ``SandboxFailed`` with the other side's words."""
        line = json.dumps(request).encode() + b"\n"
        if descriptors:
            line = line[socket.send_fds(self._socket, [line], descriptors) :]
        await asyncio.get_running_loop().sock_sendall(self._socket, line)
        answer = await self.answer()
        if "error" in answer:
            raise SandboxFailed(str(answer["error"]))
        return answer

    async def answer(self) -> dict[str, Any]:
        """The next answer. Raises ``SandboxFailed`` where the shim has ended instead."""
        while b"\n" not in self._buffer:
            await files.readable(self._socket.fileno())
            chunk, descriptors, _, _ = socket.recv_fds(self._socket, 65536, MAX_DESCRIPTORS)
            self._descriptors += descriptors
            if not chunk:
                raise SandboxFailed("the pod's sandbox hung up", cause="the process behind it ended")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def take_descriptors(self) -> list[int]:
        """What came with the answers so far; the caller closes them."""
        taken, self._descriptors = self._descriptors, []
        return taken

    def close(self) -> None:
        for descriptor in self.take_descriptors():
            os.close(descriptor)
        self._socket.close()


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[Conversation]:
    """A conversation with whoever listens at ``path``; leaving the context hangs up. Raises ``OSError``."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.setblocking(False)
    conversation = Conversation(made)
    try:
        with short_path(path) as address:
            await asyncio.get_running_loop().sock_connect(made, address)
        yield conversation
    finally:
        conversation.close()
