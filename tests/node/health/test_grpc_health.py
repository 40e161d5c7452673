"""Against a server that speaks just enough HTTP/2, byte by byte as RFC 9113 has it."""

from __future__ import annotations

import asyncio

import pytest

from sidings.node.health import grpc_health
from tests.node.health.places import closed_port, place, serving

SETTINGS = bytes.fromhex("000000040000000000")
ANSWER_HEADERS = bytes.fromhex("000001010400000001") + b"\x88"
TRAILERS = bytes.fromhex("000001010500000001") + b"\xbe"


def data(message: bytes) -> bytes:
    body = b"\0" + len(message).to_bytes(4, "big") + message
    return len(body).to_bytes(3, "big") + bytes.fromhex("000000000001") + body


class Server:
    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self.request = b""

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.request = await reader.readexactly(24)
        while self.request[-1:] != b"\xff":
            frame = await reader.readexactly(9)
            self.request += frame + await reader.readexactly(int.from_bytes(frame[:3], "big"))
            if frame[3] == 0:
                break
        writer.write(SETTINGS + self._answer)
        await writer.drain()


@pytest.mark.parametrize(
    ("message", "well", "text"),
    [
        (b"\x08\x01", True, ""),
        (b"\x08\x02", False, 'service unhealthy (responded with "NOT_SERVING")'),
        (b"", False, 'service unhealthy (responded with "UNKNOWN")'),
    ],
)
async def test_the_status_decides(message: bytes, well: bool, text: str) -> None:
    server = Server(ANSWER_HEADERS + data(message) + TRAILERS)
    async with serving(server) as port:
        answer = await grpc_health.check({"port": port, "service": "model"}, place(), 5)
    assert answer == (well, text, False)
    assert server.request.startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    assert server.request.endswith(b"\0\0\0\0\x07\x0a\x05model")


async def test_an_error_of_the_call_is_not_well() -> None:
    async with serving(Server(TRAILERS)) as port:
        answer = await grpc_health.check({"port": port}, place(), 5)
    assert not answer.well and "no answer" in answer.message


async def test_nobody_there() -> None:
    port = closed_port()
    answer = await grpc_health.check({"port": port}, place(), 5)
    assert not answer.well and "connection refused" in answer.message
