"""Connections that are carried, and those that are not."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from sidings.node.sandbox.relay import Relay, connect


def _pair() -> tuple[socket.socket, socket.socket]:
    """Two ends of a TCP connection."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        one = socket.create_connection(listener.getsockname(), 5)
        other, _ = listener.accept()
    for end in (one, other):
        end.settimeout(60)
    return one, other


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket, socket.socket, socket.socket]]:
    """client, its end at the relay, the relay's end, server"""
    made = (*_pair(), *_pair())
    yield made
    for end in made:
        end.close()


def _read_all(end: socket.socket) -> bytes:
    found = b""
    while data := end.recv(65536):
        found += data
    return found


def test_both_directions_end_by_themselves(ends: tuple[socket.socket, ...]) -> None:
    client, inner, outer, server = ends
    Relay().join(inner, outer)
    client.sendall(b"question")
    client.shutdown(socket.SHUT_WR)
    assert _read_all(server) == b"question"
    server.sendall(b"answer")
    server.shutdown(socket.SHUT_WR)
    assert _read_all(client) == b"answer"


def test_a_side_that_goes_takes_the_other_along(ends: tuple[socket.socket, ...]) -> None:
    client, inner, outer, server = ends
    Relay().join(inner, outer)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    server.close()
    assert client.recv(1) == b""


def test_where_nobody_answers_the_client_is_reset(ends: tuple[socket.socket, ...]) -> None:
    client, inner, _, _ = ends
    Relay().carry(inner, lambda _: None)
    with pytest.raises(ConnectionResetError):
        client.recv(1)


def test_more_connections_than_allowed_are_reset(ends: tuple[socket.socket, ...]) -> None:
    client, inner, outer, server = ends
    relay = Relay(most=0)
    relay.join(inner, outer)
    with pytest.raises(ConnectionResetError):
        client.recv(1)
    assert server.recv(1) == b""


def test_a_refused_connection_is_none() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        target = listener.getsockname()
    assert connect(target, 5) is None
