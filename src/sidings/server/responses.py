"""Answers, before they become ASGI messages: complete ones and streams.

Handlers return them and never touch ``send``; so what a handler answers can be looked at without a server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from sidings.api.status import ApiError
from sidings.server.asgi import Send

Header = tuple[bytes, bytes]

JSON = b"application/json"
TEXT = b"text/plain; charset=utf-8"
NOT_CACHED = b"no-cache, private"

encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class Response:
    """An answer whose body is known."""

    status: int
    body: bytes
    content_type: bytes = JSON
    headers: Sequence[Header] = ()
    cache_control: bytes = NOT_CACHED


@dataclass(frozen=True, slots=True)
class Stream:
    """An answer whose body comes piece by piece."""

    chunks: AsyncIterator[bytes]
    content_type: bytes = JSON


def json_response(status: int, value: Any, headers: Sequence[Header] = ()) -> Response:
    return Response(status, encode(value), JSON, headers)


def error_response(error: ApiError, headers: Sequence[Header] = ()) -> Response:
    """The Status of ``error``; ``Retry-After`` where it says when to come back."""
    if error.retry_after_seconds:
        headers = [*headers, (b"retry-after", str(error.retry_after_seconds).encode())]
    return json_response(error.http_status, error.to_status(), headers)


NOT_FOUND = Response(404, b"404 page not found\n", TEXT)
"""What Go's mux says for a path that nobody handles."""


def warning_headers(warnings: Sequence[str]) -> list[Header]:
    """One ``Warning`` header for each text, in the form that clients parse: ``299 - "text"``.

    Not every text fits into a header: controls become spaces, other than ASCII goes as UTF-8, as upstream does.
    """
    found: list[Header] = []
    for text in dict.fromkeys(warnings):
        printable = "".join(c if c.isprintable() else " " for c in text)
        quoted = printable.replace("\\", "\\\\").replace('"', '\\"')
        found.append((b"warning", f'299 - "{quoted}"'.encode()))
    return found


async def send_response(send: Send, response: Response) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": response.status,
            "headers": [
                (b"content-type", response.content_type),
                (b"content-length", str(len(response.body)).encode()),
                (b"cache-control", response.cache_control),
                *response.headers,
            ],
        }
    )
    await send({"type": "http.response.body", "body": response.body})
