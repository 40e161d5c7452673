import asyncio
from collections.abc import AsyncIterator, MutableMapping
from typing import Any

import pytest

from sidings.api.status import BadRequest
from sidings.server.limits import UNREAD_SECONDS
from sidings.server.responses import Stream
from sidings.server.streams import send_stream

pytestmark = pytest.mark.looptime


class Peer:
    """The other end of an ASGI connection: reads everything at once, until told to stop reading or to hang up."""

    def __init__(self) -> None:
        self.sent: list[MutableMapping[str, Any]] = []
        self.hung_up = asyncio.Event()
        self.reads = asyncio.Event()
        self.reads.set()

    async def send(self, message: MutableMapping[str, Any]) -> None:
        await self.reads.wait()
        self.sent.append(message)

    async def receive(self) -> MutableMapping[str, Any]:
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    @property
    def ended(self) -> bool:
        return not self.sent[-1].get("more_body", False)


async def ticking(count: int | None = None, log: list[str] | None = None) -> AsyncIterator[bytes]:
    """One dot a second."""
    try:
        while count is None or count > 0:
            yield b"."
            await asyncio.sleep(1)
            count = None if count is None else count - 1
    finally:
        if log is not None:
            log.append("closed")


async def run(peer: Peer, stream: Stream, closing: asyncio.Event | None = None) -> None:
    await send_stream(peer.send, peer.receive, stream, closing or asyncio.Event())


async def test_a_stream_ends_with_its_source() -> None:
    peer = Peer()
    await run(peer, Stream(ticking(3), b"text/plain"))
    assert peer.sent[0]["status"] == 200
    assert (b"content-type", b"text/plain") in peer.sent[0]["headers"]
    assert (peer.body, peer.ended) == (b"...", True)


async def test_the_client_hangs_up() -> None:
    peer, log = Peer(), list[str]()
    running = asyncio.create_task(run(peer, Stream(ticking(log=log))))
    await asyncio.sleep(2.5)
    peer.hung_up.set()
    await running
    assert peer.body == b"..."
    assert log == ["closed"]


async def test_the_server_closes() -> None:
    peer, closing = Peer(), asyncio.Event()
    running = asyncio.create_task(run(peer, Stream(ticking()), closing))
    await asyncio.sleep(1.5)
    closing.set()
    await running
    assert (peer.body, peer.ended) == (b"..", True)


async def test_a_client_that_does_not_read_is_cut_off() -> None:
    peer = Peer()
    loop = asyncio.get_running_loop()
    running = asyncio.create_task(run(peer, Stream(ticking())))
    await asyncio.sleep(1.5)
    peer.reads.clear()
    before = loop.time()
    await running
    assert loop.time() - before == pytest.approx(UNREAD_SECONDS, abs=1)
    assert not peer.ended, "a proper end would look like a complete answer"


async def test_a_source_that_fails_says_so_at_the_end() -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"line\n"
        raise BadRequest("the log is gone")

    peer = Peer()
    await run(peer, Stream(failing()))
    assert peer.body.startswith(b'line\n{"kind":"Status"')
    assert b"the log is gone" in peer.body
    assert peer.ended
