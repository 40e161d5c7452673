"""One HTTP request as handlers see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sidings.server.asgi import Receive, Scope
from sidings.server.auth import User
from sidings.server.bodies import read
from sidings.server.queries import Query
from sidings.server.responses import Header, warning_headers

NOBODY = User("")


class Request:
    """What the client sent, and the warnings that its answer will carry."""

    __slots__ = ("_receive", "headers", "method", "path", "query", "raw_headers", "user", "warnings")

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self.method: str = scope.get("method", "GET")
        """GET for what comes as a WebSocket: it began as one."""
        self.path: str = scope["path"]
        """Percent-decoded."""
        self.query = Query(scope["query_string"])
        self.headers: Mapping[bytes, bytes] = dict(scope["headers"])
        """Names in lower case; of several of one name the last."""
        self.raw_headers: Sequence[tuple[bytes, bytes]] = scope["headers"]
        self.user = NOBODY
        self.warnings: list[str] = []
        self._receive = receive

    def text(self, header: bytes) -> str:
        return self.headers.get(header, b"").decode("latin-1")

    @property
    def accept(self) -> str:
        return self.text(b"accept")

    @property
    def content_type(self) -> str:
        return self.text(b"content-type")

    @property
    def user_agent(self) -> str:
        return self.text(b"user-agent")

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def warning_headers(self) -> list[Header]:
        return warning_headers(self.warnings) if self.warnings else []

    async def body(self) -> bytes:
        return await read(self._receive)
