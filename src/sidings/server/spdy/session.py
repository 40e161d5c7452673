"""Streams of an exec or attach as streams of a SPDY connection, by their header ``streamtype``.

``k8s.io/kubelet/pkg/cri/streaming/remotecommand/httpstream.go`` (v1.36): the client opens ``error``, then those it
wants of ``stdin``, ``stdout``, ``stderr`` and ``resize``; nothing starts before all are there.
"""

from __future__ import annotations

import asyncio

from sidings.api.objects import Object
from sidings.api.pods import StreamOptions
from sidings.server.channels import window_size
from sidings.server.responses import encode
from sidings.server.spdy.connection import Stream

MOST_BYTES_OF_SIZES = 4096
"""More without an end of line are no sizes."""


class SpdyStreams:
    """The client of one exec or attach: ``api.pods.Session``."""

    def __init__(self, options: StreamOptions) -> None:
        wanted = {"error": True, "stdin": options.stdin, "stdout": options.stdout, "stderr": options.stderr}
        self._missing = {name for name, is_wanted in {**wanted, "resize": options.tty}.items() if is_wanted}
        self._streams: dict[str, Stream] = {}
        self._complete = asyncio.Event()
        self._sizes = b""

    def opened(self, stream: Stream) -> None:
        name = stream.headers.get("streamtype", "")
        if name in self._missing:
            self._missing.discard(name)
            self._streams[name] = stream
        if not self._missing:
            self._complete.set()

    async def complete(self) -> None:
        """Until the client has opened all its streams."""
        await self._complete.wait()

    async def finish(self, status: Object) -> None:
        """How it ended, then the end of every stream."""
        await self._streams["error"].write(encode(status))
        for stream in self._streams.values():
            await stream.close()

    async def read(self) -> bytes:
        return await self._streams["stdin"].read()

    async def write(self, stream: str, data: bytes) -> None:
        await self._streams[stream].write(data)

    async def resized(self) -> tuple[int, int]:
        while True:
            line, end, rest = self._sizes.partition(b"\n")
            if end:
                self._sizes = rest
                if (size := window_size(line)) is not None:
                    return size
                continue
            received = await self._streams["resize"].read() if "resize" in self._streams else b""
            if not received:
                await asyncio.Event().wait()  # it will not be resized any more
            self._sizes = (self._sizes + received)[-MOST_BYTES_OF_SIZES:]
