"""A way to the bucket that can be out of order: an HTTP proxy through which the script's S3 requests go.

Clients of S3 go by ``HTTP_PROXY`` and ``HTTPS_PROXY``, so the endpoint, and with it what is signed, stays as it is. A
request to a plain endpoint is passed on by itself; to an encrypted one there is a tunnel, which an outage cuts. All
other addresses are passed on whatever happens.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from urllib.parse import urlsplit

_HEAD_LIMIT = 1 << 16  # bytes
_CHUNK = 1 << 16
_BEFORE_THE_CUT = 1 << 12  # bytes of a request
_CONNECT_SECONDS = 30
_CONNECTION = re.compile(rb"\r\n(?:proxy-)?connection:[^\r\n]*", re.IGNORECASE)
_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
_UNAVAILABLE = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/xml\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_SLOW_DOWN), _SLOW_DOWN)
)
_PORTS = {"http": 80, "https": 443}
_AMAZONS = ".amazonaws.com"
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


def is_possible(environ: Mapping[str, str]) -> bool:
    """Whether the script's requests can be led this way: none where a proxy of the user's leads them already."""
    return not any(environ.get(name) for name in (*VARIABLES, "ALL_PROXY", "all_proxy"))


class Kind(StrEnum):
    """How the bucket fails."""

    REFUSED = "closed connections"
    UNAVAILABLE = "answered 503"
    CUT = "cut transfers off"


class Outage:
    """The proxy, from here on. ``endpoint`` is the server that can fail; ``""`` is Amazon's, whatever its host."""

    def __init__(self, endpoint: str) -> None:
        server = urlsplit(endpoint)
        self._host, self._port = server.hostname or "", server.port or _PORTS.get(server.scheme, 0)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._kind: Kind | None = None
        self._failed = 0
        self._lock = threading.Lock()
        self._tunnels: set[socket.socket] = set()
        threading.Thread(target=self._accept, name="way to the bucket", daemon=True).start()

    def environment(self) -> dict[str, str]:
        """What makes a client go this way, to this machine's own addresses too."""
        url = "http://{}:{}".format(*self._listener.getsockname())
        return dict.fromkeys(VARIABLES, url) | {"NO_PROXY": "", "no_proxy": ""}

    @contextmanager
    def of(self, kind: Kind) -> Iterator[Callable[[], int]]:
        """The bucket fails inside of the block; gives how many requests have failed so far."""
        with self._lock:
            self._kind, self._failed = kind, 0
            cut = list(self._tunnels)
        for tunnel in cut:
            _close(tunnel)
        try:
            yield lambda: self._failed
        finally:
            self._kind = None

    def close(self) -> None:
        """No new connections; those that are open end with their clients."""
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):  # whoever closes first, the other end sees it
            head, rest = _head(client)
            if head is None:
                return
            method, target, version = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
            is_tunnel = method == "CONNECT"
            url = urlsplit(f"//{target}" if is_tunnel else target)
            address = (url.hostname or "", url.port or _PORTS["http"])
            kind = self._kind if self.leads_to_bucket(*address) else None
            if kind:
                with self._lock:
                    self._failed += 1
            if kind is Kind.UNAVAILABLE:
                _drain(client)
                client.sendall(_UNAVAILABLE)
            if kind in (Kind.UNAVAILABLE, Kind.REFUSED):
                return
            with socket.create_connection(address, _CONNECT_SECONDS) as server:
                server.settimeout(None)
                if is_tunnel:
                    client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                    begin = rest
                else:
                    path = url.path + (f"?{url.query}" if url.query else "")
                    line = f"{method} {path or '/'} {version}".encode("latin-1")
                    fields = _CONNECTION.sub(b"", head[head.index(b"\r\n") :])
                    begin = line + fields + b"\r\nConnection: close\r\n\r\n" + rest
                self._carry(client, server, begin, is_cut=kind is Kind.CUT)

    def leads_to_bucket(self, host: str, port: int) -> bool:
        """Buckets may have hosts of their own, below the endpoint's."""
        if not self._host:
            return host.endswith(_AMAZONS)
        return port == self._port and (host == self._host or host.endswith(f".{self._host}"))

    def _carry(self, client: socket.socket, server: socket.socket, begin: bytes, *, is_cut: bool) -> None:
        """Pass on ``begin`` and all else, both ways, until the server has nothing more.

        One that is cut ends in the midst of a long request, or with a short one that is done and never answered.
        """
        with self._lock:
            self._tunnels.add(server)
        limit = _BEFORE_THE_CUT if is_cut else None
        up = threading.Thread(target=_pass, args=(client, server, begin, limit), daemon=True)
        up.start()
        if is_cut:
            server.recv(1)
        else:
            _pass(server, client)
        with self._lock:
            self._tunnels.discard(server)
        _close(client)
        _close(server)
        up.join()


def _pass(source: socket.socket, sink: socket.socket, data: bytes = b"", limit: int | None = None) -> None:
    """Pass on ``data`` and what ``source`` sends after it; of all that no more than ``limit`` bytes."""
    with contextlib.suppress(OSError):
        while data or (data := source.recv(_CHUNK)):
            sink.sendall(data[:limit])
            if limit is not None:
                limit -= len(data)
                if limit <= 0:
                    _close(sink)
                    return
            data = b""
        sink.shutdown(socket.SHUT_WR)


def _head(client: socket.socket) -> tuple[bytes | None, bytes]:
    """(request line and fields without the empty line after them, what came after it); None where there are none."""
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(_CHUNK)
        data += more
        if not more or len(data) > _HEAD_LIMIT:
            return None, b""
    head, _, rest = data.partition(b"\r\n\r\n")
    return head, rest


def _drain(client: socket.socket) -> None:
    """Take what has come already: an answer beside unread bytes would be a reset connection."""
    client.settimeout(0.05)
    with contextlib.suppress(TimeoutError):
        while client.recv(_CHUNK):
            pass


def _close(one: socket.socket) -> None:
    """So that a thread that reads from it sees the end."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
