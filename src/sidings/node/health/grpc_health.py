"""``grpc``: the standard health service (``grpc.health.v1.Health/Check``) over as much HTTP/2 as one call needs.

One request on one stream. Headers are sent as HPACK literals without indexing; those of the answer are not decoded,
because the verdict is in the message: field 1 of ``HealthCheckResponse``.
"""

from __future__ import annotations

import asyncio
import struct

from sidings.api.objects import Object
from sidings.node.health.answer import Answer
from sidings.node.health.dialing import DialFailed, dial
from sidings.node.health.place import Place

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GO_AWAY = 0, 1, 3, 4, 6, 7
_END_STREAM, _ACK, _END_HEADERS, _PADDED = 1, 1, 4, 8
_STREAM = 1
_SERVING = "SERVING"
_STATUSES = {0: "UNKNOWN", 1: _SERVING, 2: "NOT_SERVING", 3: "SERVICE_UNKNOWN"}


async def check(action: Object, place: Place, seconds: float) -> Answer:
    """Ask for ``action["service"]`` within ``seconds``. Raises ``ValueError`` for a port that is none."""
    port = place.port(action["port"])
    where = f"{place.address}:{port}"
    try:
        async with asyncio.timeout(seconds), dial(place.reach, place.address, port) as (reader, writer):
            writer.write(_call(where, action.get("service") or ""))
            status = await _status(reader, writer)
    except TimeoutError:
        what = f'timeout: failed to connect service "{where}" within {seconds:g}s: context deadline exceeded'
        return Answer(False, what)
    except DialFailed as error:
        return Answer(False, f'error: failed to connect service at "{where}": {error}')
    except (asyncio.IncompleteReadError, ConnectionError):
        return Answer(False, "error: health rpc failed: the connection was closed")
    if status is None:
        return Answer(False, "error: health rpc failed: no answer of grpc.health.v1.Health/Check")
    if status != _SERVING:
        return Answer(False, f'service unhealthy (responded with "{status}")')
    return Answer(True)


def _call(authority: str, service: str) -> bytes:
    headers = b"".join(
        _literal(name, value)
        for name, value in (
            (":method", "POST"),
            (":scheme", "http"),
            (":path", "/grpc.health.v1.Health/Check"),
            (":authority", authority),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            ("user-agent", "kube-probe/1.36"),
        )
    )
    name = service.encode()
    message = b"\x0a" + bytes((len(name),)) + name if name else b""
    body = struct.pack("!BI", 0, len(message)) + message
    return (
        _PREFACE
        + _frame(_SETTINGS, 0, 0)
        + _frame(_HEADERS, _END_HEADERS, _STREAM, headers)
        + _frame(_DATA, _END_STREAM, _STREAM, body)
    )


def _literal(name: str, value: str) -> bytes:
    """HPACK: literal header field never indexed by either side, no Huffman; names and values below 127 bytes."""
    return b"".join((b"\0", bytes((len(name),)), name.encode(), bytes((len(value),)), value.encode()))


def _frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + struct.pack("!BBI", kind, flags, stream) + payload


async def _status(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str | None:
    """The status in the answer; None for an answer without a message (an error of the call)."""
    body = b""
    while True:
        head = await reader.readexactly(9)
        length, kind, flags, stream = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
        payload = await reader.readexactly(length)
        if kind in (_SETTINGS, _PING) and not flags & _ACK:
            writer.write(_frame(kind, _ACK, 0, payload if kind == _PING else b""))
        elif kind in (_RESET, _GO_AWAY):
            return None
        elif kind == _DATA and stream == _STREAM:
            body += payload[1 : len(payload) - payload[0]] if flags & _PADDED else payload
        if stream == _STREAM and kind in (_DATA, _HEADERS) and flags & _END_STREAM:
            return _decode(body)


def _decode(body: bytes) -> str | None:
    """A length-prefixed ``HealthCheckResponse``; an absent field is 0."""
    if len(body) < 5:
        return None
    message = body[5:]
    return _STATUSES.get(message[1] if message[:1] == b"\x08" and len(message) > 1 else 0, "UNKNOWN")
