"""Sending raw requests: to an application in this process, or over TLS to the server that a kubeconfig names."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from sidings.client.connection import connect
from sidings.client.credentials import Credentials
from sidings.client.kubeconfig import ClientConfig
from sidings.clock import SystemClock
from sidings.server.app import App

HOST = "localhost"


class Answer(NamedTuple):
    """``headers``: names in lower case, the values of a repeated one joined by newlines."""

    code: int
    headers: Mapping[str, str]
    body: bytes


class Sender(Protocol):
    """Sends one request and reads the whole answer. ``authorization`` None: that of whoever replays."""

    async def __call__(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes, authorization: str | None
    ) -> Answer: ...


class AppSender:
    """Sends to an ASGI application, without sockets."""

    def __init__(self, app: App, token: str) -> None:
        self._app = app
        self._token = token

    async def __call__(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes, authorization: str | None
    ) -> Answer:
        who = f"Bearer {self._token}" if authorization is None else authorization
        sent = {"host": HOST, "authorization": who, **headers}
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items() if value],
        }
        incoming: asyncio.Queue[Any] = asyncio.Queue()
        incoming.put_nowait({"type": "http.request", "body": body, "more_body": False})
        messages: list[Any] = []

        async def send(message: Any) -> None:
            messages.append(message)

        await self._app(scope, incoming.get, send)
        start, *rest = messages
        received: dict[str, str] = {}
        for raw_name, raw_value in start["headers"]:
            name, value = raw_name.decode(), raw_value.decode()
            received[name] = f"{received[name]}\n{value}" if name in received else value
        return Answer(start["status"], received, b"".join(message["body"] for message in rest))


class HttpSender:
    """Sends over TLS, on a new connection each time."""

    def __init__(self, config: ClientConfig) -> None:
        self._config = config
        self._credentials = Credentials(config, SystemClock())

    async def __call__(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes, authorization: str | None
    ) -> Answer:
        who = await self._credentials.authorization() if authorization is None else authorization
        sent = {**headers, **({"Authorization": who} if who else {}), "Connection": "close"}
        connection = await connect(self._config.server, await self._credentials.tls(), self._config.tls_server_name)
        try:
            response = await connection.send(method, f"{path}?{query}" if query else path, sent, body)
            return Answer(response.status, response.headers, await response.read())
        finally:
            connection.close()
