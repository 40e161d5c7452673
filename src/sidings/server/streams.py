"""Sends a :class:`Stream`: watches and followed logs.

A stream ends when its source ends, the client hangs up, the server closes (so that ``down`` is not kept waiting by a
``kubectl get -w``), or the client leaves it unread for ``UNREAD_SECONDS``. The first three end it properly, so that a
client sees the end and not an error; the last one breaks the connection, and the client lists anew.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator

from sidings.api.status import ApiError
from sidings.server.asgi import Receive, Send
from sidings.server.limits import UNREAD_SECONDS
from sidings.server.responses import NOT_CACHED, Stream, encode

log = logging.getLogger(__name__)


class Unread(Exception):
    """The client does not read what it asked for."""


async def send_stream(send: Send, receive: Receive, stream: Stream, closing: asyncio.Event) -> None:
    """Send ``stream`` until one of the reasons above."""
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [(b"content-type", stream.content_type), (b"cache-control", NOT_CACHED)],
        }
    )
    pump = asyncio.create_task(_pump(send, stream.chunks))
    enders = [asyncio.create_task(_gone(receive)), asyncio.create_task(_closed(closing))]
    try:
        await asyncio.wait([pump, *enders], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (pump, *enders):
            task.cancel()
        await asyncio.gather(pump, *enders, return_exceptions=True)
    if not pump.cancelled() and pump.exception() is not None:
        # Without a last chunk: the server then breaks the connection, as it must.
        log.info("a stream was cut off: %s", pump.exception())
        return
    await send({"type": "http.response.body", "body": b""})


async def _pump(send: Send, chunks: AsyncIterator[bytes]) -> None:
    patience = _Patience()
    try:
        async for chunk in chunks:
            # ``send`` waits while the client's buffers are full.
            patience.begin()
            await send({"type": "http.response.body", "body": chunk, "more_body": True})
            patience.end()
    except asyncio.CancelledError as error:
        if patience.exhausted:
            raise Unread(f"its client has read nothing for {UNREAD_SECONDS:.0f} s") from error
        raise
    except ApiError as error:
        # The head is sent: what a log that breaks half-way can still say goes to its end.
        log.info("a stream ended early: %s", error)
        await send({"type": "http.response.body", "body": encode(error.to_status()) + b"\n", "more_body": True})
    finally:
        patience.stop()


class _Patience:
    """Cancels the task that made it when a chunk is not taken for ``UNREAD_SECONDS``.

    With one timer for the whole stream: a timeout around each chunk was a tenth of the work for a thousand watchers.
    """

    def __init__(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._since = 0.0
        """Since when a chunk is on its way; 0 while none is."""
        self.exhausted = False
        self._timer = self._loop.call_later(UNREAD_SECONDS, self._look)

    def begin(self) -> None:
        self._since = self._loop.time()

    def end(self) -> None:
        self._since = 0.0

    def stop(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        now = self._loop.time()
        due = (self._since or now) + UNREAD_SECONDS
        if due > now:
            self._timer = self._loop.call_at(due, self._look)
        else:
            self.exhausted = True
            self._task.cancel()


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _closed(closing: asyncio.Event) -> None:
    await closing.wait()
