"""A client of exec and attach, in memory."""

from __future__ import annotations

import asyncio

from tests.node.waiting import PATIENCE_SECONDS


class Client:
    """``api.pods.Session``: sends ``keys`` one after the other, keeps what it is given."""

    def __init__(self, *keys: bytes, ends: bool = True, reads: bool = True) -> None:
        """``ends``: stdin is closed after ``keys``. ``reads``: False takes the first output and then no more."""
        self.out = b""
        self.err = b""
        self._keys = list(keys)
        self._ends = ends
        self._reads = reads
        self._sizes: asyncio.Queue[tuple[int, int]] = asyncio.Queue()
        self._news = asyncio.Event()

    def resize(self, columns: int, rows: int) -> None:
        self._sizes.put_nowait((columns, rows))

    async def said(self, text: bytes) -> None:
        """Wait until the output has ``text`` in it."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while text not in self.out:
                self._news.clear()
                await self._news.wait()

    async def read(self) -> bytes:
        if self._keys:
            return self._keys.pop(0)
        if not self._ends:
            await asyncio.Event().wait()
        return b""

    async def write(self, stream: str, data: bytes) -> None:
        if stream == "stdout":
            self.out += data
        else:
            self.err += data
        self._news.set()
        if not self._reads:
            await asyncio.Event().wait()

    async def resized(self) -> tuple[int, int]:
        return await self._sizes.get()
