"""Requests to the bucket fail in each way while they shall, all others never, plain and through a tunnel."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit

import pytest

from sidings.verify_resume import outage
from sidings.verify_resume.outage import Kind, Outage

BODY = bytes(200_000)


class Echo(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen: ClassVar[list[bytes]] = []

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append(body)
        told = f"{self.path} {self.headers['Host']} ".encode() + body
        self.send_response(200)
        self.send_header("Content-Length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, format: str, *args: object) -> None:
        """Nobody reads it."""


@pytest.fixture
def servers() -> Iterator[tuple[str, str]]:
    """Two addresses: the bucket's and another."""
    made = [ThreadingHTTPServer(("127.0.0.1", 0), Echo) for _ in range(2)]
    for server in made:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
    Echo.seen.clear()
    first, second = ("{}:{}".format(*server.server_address[:2]) for server in made)
    yield first, second
    for server in made:
        server.shutdown()
        server.server_close()


def tunnel_to(connection: http.client.HTTPConnection, address: str) -> None:
    host, _, port = address.partition(":")
    connection.set_tunnel(host, int(port))


def through(way: Outage, address: str, body: bytes = BODY, *, tunnel: bool = False) -> tuple[int, bytes]:
    proxy = urlsplit(way.environment()["HTTP_PROXY"])
    with closing(http.client.HTTPConnection(proxy.hostname or "", proxy.port, timeout=60)) as connection:
        if tunnel:
            tunnel_to(connection, address)
        connection.request("PUT", "/b/x?y=1" if tunnel else f"http://{address}/b/x?y=1", body)
        answer = connection.getresponse()
        return answer.status, answer.read()


@pytest.mark.parametrize("tunnel", [False, True])
def test_what_is_passed_on_is_as_it_was(servers: tuple[str, str], tunnel: bool) -> None:
    with closing(Outage(f"http://{servers[0]}")) as way:
        for address in servers:
            assert through(way, address, tunnel=tunnel) == (200, f"/b/x?y=1 {address} ".encode() + BODY)


@pytest.mark.parametrize("tunnel", [False, True])
@pytest.mark.parametrize("kind", list(Kind))
def test_only_the_bucket_fails_and_only_so_long(servers: tuple[str, str], kind: Kind, tunnel: bool) -> None:
    bucket, other = servers
    with closing(Outage(f"http://{bucket}")) as way:
        with way.of(kind) as failed:
            if kind is Kind.UNAVAILABLE and not tunnel:
                assert through(way, bucket)[0] == 503
            else:
                with pytest.raises((OSError, http.client.HTTPException)):
                    through(way, bucket, tunnel=tunnel)
            assert through(way, other, tunnel=tunnel)[0] == 200
            assert failed() == 1
        assert through(way, bucket, tunnel=tunnel)[0] == 200


def test_a_transfer_is_cut_in_its_midst_or_done_and_not_answered(servers: tuple[str, str]) -> None:
    with closing(Outage(f"http://{servers[0]}")) as way, way.of(Kind.CUT):
        for body in (BODY, b"short"):
            with pytest.raises((OSError, http.client.HTTPException)):
                through(way, servers[0], body)
    assert BODY not in Echo.seen
    assert b"short" in Echo.seen


def test_a_tunnel_that_is_open_is_cut(servers: tuple[str, str]) -> None:
    with closing(Outage(f"http://{servers[0]}")) as way:
        proxy = urlsplit(way.environment()["HTTPS_PROXY"])
        with closing(http.client.HTTPConnection(proxy.hostname or "", proxy.port, timeout=60)) as connection:
            tunnel_to(connection, servers[0])
            connection.request("PUT", "/b", b"1")
            assert connection.getresponse().read().endswith(b" 1")
            with way.of(Kind.REFUSED), pytest.raises((OSError, http.client.HTTPException)):
                connection.request("PUT", "/b", b"2")
                connection.getresponse()


def test_amazons_bucket_is_any_of_its_hosts() -> None:
    with closing(Outage("")) as way:
        assert way.leads_to_bucket("models.s3.eu-west-1.amazonaws.com", 443)
        assert not way.leads_to_bucket("huggingface.co", 443)
    with closing(Outage("https://s3.example.com")) as way:
        assert way.leads_to_bucket("models.s3.example.com", 443)
        assert not way.leads_to_bucket("s3.example.com", 80)


def test_a_proxy_of_the_users_stays() -> None:
    assert outage.is_possible({})
    assert not outage.is_possible({"https_proxy": "http://proxy:3128"})
