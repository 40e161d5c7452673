"""Signed requests to an ``App``, in memory."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from sidings.s3.app import App
from sidings.s3.signature import ALGORITHM, Keys, Request, sign

KEYS = Keys("key", "secret")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MOMENT, SCOPE = "20261130T120000Z", "20261130/us-east-1/s3/aws4_request"


@dataclass
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


def signed(method: str, path: str, query: str, headers: Mapping[str, str], payload: str) -> dict[str, str]:
    """``headers`` with a signature over all of them."""
    whole = {"host": "s3", "x-amz-date": MOMENT, "x-amz-content-sha256": payload, **headers}
    names = ";".join(sorted(whole))
    request = Request(method, path, parse_qsl(query, keep_blank_values=True), whole)
    found = sign(request, names, payload, MOMENT, SCOPE, KEYS.secret)
    credential = f"Credential={KEYS.identifier}/{SCOPE}, SignedHeaders={names}, Signature={found}"
    return {**whole, "authorization": f"{ALGORITHM} {credential}"}


async def ask(app: App, method: str, target: str, body: bytes = b"", *, payload: str = "", **headers: str) -> Answer:
    """The answer to a signed request; header names with ``_`` for ``-``. ``payload`` is what its sum is said to be."""
    path, _, query = target.partition("?")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    named = signed(method, path, query, named, payload or hashlib.sha256(body).hexdigest())
    return await raw(app, method, path, query, named, body)


async def raw(app: App, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
    """The answer to a request as it is, its body in pieces of 7 bytes."""
    pieces = [body[at : at + 7] for at in range(0, len(body), 7)] or [b""]
    messages = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    messages[-1]["more_body"] = False
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    await app(scope, receive, send)
    given = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], given, b"".join(message["body"] for message in sent[1:]))
