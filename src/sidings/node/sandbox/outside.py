"""The process that stays in the machine's network: pods reach the outside through it, without root and without NAT.

The zygote forks it before it leaves for the node's network, and hands it listening sockets made there afterwards: a
socket stays in the network namespace in which it was made, whoever accepts from it. So connections come in from the
pods and go out like those of any program of this user:

* TCP that ``redirect`` caught, to where it was meant for;
* questions of the pods' name server, to the machine's resolvers (``upstream``);
* the address of the Service ``kubernetes``, to the API server;
* the gateway's port of object storage, to its server, where there is one.

It is a wall as well: pods get what another machine of the network would get. The machine's loopback (databases, other
users' engines) and link-local addresses (a cloud's metadata service hands out credentials) are refused.
``api-server.json``, ``[host, port]``, is written by the agent, ``s3-server.json`` likewise by the engine.
"""

from __future__ import annotations

import contextlib
import functools
import ipaddress
import json
import os
import selectors
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from sidings.node.network import API_PORT, API_SERVICE, API_SERVICE_PORT, GATEWAY, INSIDE, S3_PORT
from sidings.node.sandbox import notes, redirect, syscalls
from sidings.node.sandbox.relay import Dial, Relay, connect
from sidings.node.sandbox.upstream import Upstream

REDIRECT_PORT = 15001
"""Where caught connections arrive in the node's network; Istio's number for the same thing."""
UPSTREAM = (GATEWAY, 5300)
NOTE = "outside.json"
API_FILE = "api-server.json"
S3_FILE = "s3-server.json"
DIAL_SECONDS = 10.0
"""How long the other side may take to accept; then the pod, whose own connection stands already, sees a reset."""
_BACKLOG = 512
_INSIDE = tuple(ipaddress.IPv4Network(f"{network}/{length}") for network, length in INSIDE)
_THIS_NETWORK = ipaddress.IPv4Network("0.0.0.0/8")
"""Linux takes 0.0.0.0 for the machine itself."""


def living(directory: Path) -> int:
    """Its pid, while it lives, else 0."""
    return notes.living(directory / NOTE)


def fork(directory: Path) -> socket.socket:
    """Start the process, in the current network; returns where to send its listeners (``equip``)."""
    ours, its = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            os.setsid()
            syscalls.set_name("sidings-outside")
            syscalls.close_others([its.fileno()])
            if listeners := _receive(its):
                _Outside(directory, *listeners).serve()
        finally:
            os._exit(1)
    its.close()
    notes.write(directory / NOTE, pid)
    return ours


def equip(channel: socket.socket, placed: Callable[[str, int], tuple[str, int]]) -> None:
    """Make the listeners in the current network, which is the node's, and hand them over.

    ``placed``: where an address of the pods' network is in it.
    """
    made = [
        socket.create_server(placed(GATEWAY, REDIRECT_PORT), backlog=_BACKLOG),
        socket.create_server(placed(API_SERVICE, API_SERVICE_PORT), backlog=_BACKLOG),
        socket.create_server(placed(GATEWAY, API_PORT), backlog=_BACKLOG),
        socket.create_server(placed(GATEWAY, S3_PORT), backlog=_BACKLOG),
        socket.create_server(placed(*UPSTREAM), backlog=_BACKLOG),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    ]
    made[-1].bind(placed(*UPSTREAM))
    socket.send_fds(channel, [b"."], [listener.fileno() for listener in made])
    for listener in made:
        listener.close()
    channel.close()


def is_reachable(host: str) -> bool:
    """Whether a pod may connect to the address ``host`` outside."""
    address = ipaddress.IPv4Address(host)
    closed = address.is_loopback or address.is_link_local or address.is_multicast or address in _THIS_NETWORK
    return not closed and not any(address in network for network in _INSIDE)


def _receive(channel: socket.socket) -> list[socket.socket]:
    """The listeners; none where the zygote has failed before."""
    with channel:
        _, descriptors, _, _ = socket.recv_fds(channel, 1, 8)
    return [socket.socket(fileno=descriptor) for descriptor in descriptors]


class _Outside:
    """The event loop; connections are threads of a ``Relay``."""

    def __init__(
        self,
        directory: Path,
        caught: socket.socket,
        api_service: socket.socket,
        api_endpoint: socket.socket,
        object_storage: socket.socket,
        resolver: socket.socket,
        questions: socket.socket,
    ) -> None:
        self._relay = Relay()
        self._selector = selectors.DefaultSelector()
        self._upstream = Upstream(questions, self._selector)
        self._listen(caught, _dial_out)
        dial_api = functools.partial(_dial_told, directory / API_FILE)
        self._listen(api_service, dial_api)
        self._listen(api_endpoint, dial_api)
        self._listen(object_storage, functools.partial(_dial_told, directory / S3_FILE))
        self._listen(resolver, self._upstream.dial)

    def serve(self) -> NoReturn:
        while True:
            for key, _ in self._selector.select(self._upstream.seconds_left()):
                key.data()
            self._upstream.give_up()

    def _listen(self, listener: socket.socket, dial: Dial) -> None:
        self._selector.register(listener, selectors.EVENT_READ, functools.partial(self._accept, listener, dial))

    def _accept(self, listener: socket.socket, dial: Dial) -> None:
        with contextlib.suppress(OSError):  # the client has left again
            client, _ = listener.accept()
            self._relay.carry(client, dial)


def _dial_told(file: Path, client: socket.socket) -> socket.socket | None:
    """A connection to the ``[host, port]`` in ``file``."""
    try:
        host, port = json.loads(file.read_text())
    except FileNotFoundError:
        return None  # an agent without such a server
    return connect((host, port), DIAL_SECONDS)


def _dial_out(client: socket.socket) -> socket.socket | None:
    try:
        target = redirect.original_destination(client)
    except OSError:
        return None  # it came to our own port
    return connect(target, DIAL_SECONDS) if is_reachable(target[0]) else None
