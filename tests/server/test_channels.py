import asyncio

import pytest

from sidings.server.channels import STILL_THERE_SECONDS, WAITING_MESSAGES, Channels
from tests.server.sockets import Wire

CLOSE_STDIN = b"\xff\x00"


@pytest.fixture
def wire() -> Wire:
    return Wire()


async def test_stdin_in_order_and_its_end(wire: Wire) -> None:
    client = Channels(wire.socket)
    wire.say(b"\x00one", b"\x00", b"\x00two", CLOSE_STDIN)
    wire.leave()
    await client.receive()
    assert [await client.read() for _ in range(3)] == [b"one", b"two", b""]


async def test_a_text_message_is_its_bytes(wire: Wire) -> None:
    client = Channels(wire.socket)
    wire.say_text("\x00grüße")
    wire.leave()
    await client.receive()
    assert await client.read() == "grüße".encode()


async def test_output_and_status(wire: Wire) -> None:
    client = Channels(wire.socket)
    await client.write("stdout", b"out")
    await client.write("stderr", b"err")
    await client.finish({"metadata": {}, "status": "Success"})
    assert wire.heard == [b"\x01out", b"\x02err", b'\x03{"metadata":{},"status":"Success"}']


@pytest.mark.parametrize("nonsense", [b"", b"{}", b"[]", b"no", b'{"Width":0,"Height":1}', b'{"Width":1e9,"Height":9}'])
async def test_sizes(wire: Wire, nonsense: bytes) -> None:
    client = Channels(wire.socket)
    wire.say(b"\x04" + nonsense, b'\x04{"Width":1,"Height":1}', b'\x04{"Width":111,"Height":33}', b"\x07unknown", b"")
    wire.leave()
    await client.receive()
    assert await client.resized() == (111, 33)


@pytest.mark.looptime
async def test_a_client_that_vanishes_while_its_stdin_is_not_read_is_missed(wire: Wire) -> None:
    client = Channels(wire.socket)
    wire.say(*[b"\x00data"] * (WAITING_MESSAGES + 1))
    receiving = asyncio.create_task(client.receive())
    await asyncio.sleep(STILL_THERE_SECONDS * 2.5)
    assert wire.heard == [b"\x01", b"\x01"]
    wire.vanish()
    with pytest.raises(OSError, match="the client is gone"):
        await receiving
