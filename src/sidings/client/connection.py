"""One HTTP/1.1 connection to an API server, on asyncio streams.

Only what an API server speaks: requests with a body of known length, answers that are chunked, of known length, or end
with the connection. The standard library's client blocks a thread per watch, cannot be cancelled in the middle of a
read and costs 25 ms of import; streams have none of this. ``http`` adds meaning, pooling and errors.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Mapping
from urllib.parse import urlsplit

from sidings.client.errors import ServerUnreachable, ServerUntrusted

CONNECT_SECONDS = 10.0
READ_SIZE = 65536


class Closed(Exception):
    """The server closed the connection before the first byte of an answer."""


class Response:
    """An answer whose body has not been read yet. Read it to the end, or close the connection."""

    def __init__(self, connection: Connection, status: int, headers: Mapping[str, str], *, bodiless: bool) -> None:
        self.status = status
        self.headers = headers
        """Names in lower case; of a repeated header the values are joined by newlines."""
        self._connection = connection
        self._bodiless = bodiless
        self.finished = False

    @property
    def reusable(self) -> bool:
        """Whether the connection may carry another request: the body was read and the server did not say close."""
        return self.finished and self.headers.get("connection", "").lower() != "close"

    async def read(self) -> bytes:
        return b"".join([chunk async for chunk in self.chunks()])

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives."""
        reader = self._connection.reader
        try:
            if self._bodiless:
                pass
            elif "chunked" in self.headers.get("transfer-encoding", "").lower():
                while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
                    yield await reader.readexactly(size)
                    await reader.readexactly(2)
                while await reader.readuntil(b"\r\n") != b"\r\n":
                    pass
            elif "content-length" in self.headers:
                left = int(self.headers["content-length"])
                while left:
                    part = await reader.read(min(left, READ_SIZE))
                    if not part:
                        raise asyncio.IncompleteReadError(b"", left)
                    left -= len(part)
                    yield part
            else:
                while part := await reader.read(READ_SIZE):
                    yield part
                self._connection.close()
                return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            self._connection.close()
            raise ServerUnreachable(
                f"the connection to {self._connection.server} broke while it answered", cause=_text(error)
            ) from error
        self.finished = True


class Connection:
    """An open connection; carries one request at a time."""

    def __init__(self, server: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server = server
        self.reader = reader
        self._writer = writer
        self._host = urlsplit(server).netloc

    @property
    def usable(self) -> bool:
        """False once the server has hung up."""
        return not self.reader.at_eof() and not self._writer.is_closing()

    async def send(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Send a request and read the answer's head. Raises ``Closed`` if the server hung up instead of answering."""
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self._host}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if body or method in ("POST", "PUT", "PATCH"):
            lines.append(f"Content-Length: {len(body)}")
        try:
            self._writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            await self._writer.drain()
            return await self._read_head(method)
        except (OSError, asyncio.IncompleteReadError) as error:
            self.close()
            raise Closed(_text(error)) from error
        except asyncio.LimitOverrunError as error:
            self.close()
            raise ServerUnreachable(
                f"{self.server} does not speak HTTP", cause="it sends a line without end"
            ) from error

    async def _read_head(self, method: str) -> Response:
        status = 100
        while 100 <= status < 200:
            status_line = (await self.reader.readuntil(b"\r\n")).decode("latin-1").split(None, 2)
            if len(status_line) < 2 or not status_line[0].startswith("HTTP/1.") or not status_line[1].isdecimal():
                self.close()
                raise ServerUnreachable(
                    f"{self.server} does not speak HTTP", cause=f"it said {' '.join(status_line)!r}"
                )
            status = int(status_line[1])
            headers: dict[str, str] = {}
            while (line := await self.reader.readuntil(b"\r\n")) != b"\r\n":
                name, _, value = line.decode("latin-1").partition(":")
                name = name.strip().lower()
                headers[name] = f"{headers[name]}\n{value.strip()}" if name in headers else value.strip()
        return Response(self, status, headers, bodiless=method == "HEAD" or status in (204, 304))

    def close(self) -> None:
        self._writer.close()


async def connect(server: str, tls: ssl.SSLContext | None, server_hostname: str = "") -> Connection:
    """Open a connection to ``server`` (a URL). ``server_hostname`` replaces the URL's host in the TLS check."""
    url = urlsplit(server)
    host = url.hostname or ""
    port = url.port or (443 if tls else 80)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            reader, writer = await asyncio.open_connection(
                host, port, ssl=tls, server_hostname=(server_hostname or host) if tls else None
            )
    except ssl.SSLCertVerificationError as error:
        raise ServerUntrusted(
            f"{server} shows a certificate that the kubeconfig does not vouch for",
            cause=error.verify_message,
            remedy="sidings up  # writes a kubeconfig that belongs to the engine that runs",
        ) from error
    except TimeoutError as error:
        raise _unreachable(server, f"no answer within {CONNECT_SECONDS:.0f} s") from error
    except OSError as error:
        raise _unreachable(server, _text(error)) from error
    return Connection(server, reader, writer)


def _unreachable(server: str, cause: str) -> ServerUnreachable:
    return ServerUnreachable(f"no API server answers at {server}", cause=cause, remedy="sidings up")


def _text(error: Exception) -> str:
    if isinstance(error, asyncio.IncompleteReadError):
        return "it closed the connection"
    if isinstance(error, OSError) and (error.errno or 0) > 0 and not isinstance(error, ssl.SSLError):
        return os.strerror(error.errno or 0)
    return str(error) or type(error).__name__
