"""Node ports and host ports on the machine's loopback, so that a browser or a curl beside the engine gets to a pod.

In the pods' network the proxy serves them at each node's address (``service_table``); this is the same for programs of
the machine itself, which are not in that network. The listeners are the agent's, because only it is in both places:
while no engine runs they are closed. TCP only. Every engine of a machine listens on the same loopback, so a port may be
taken, also by another user's Service of the same number: then the object says so, and it is tried again.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sidings.api import service_ports
from sidings.api.objects import Object, uid_of
from sidings.node.backends import Backends, cluster_address
from sidings.node.errors import SandboxFailed
from sidings.node.sandbox.relay import Relay, refuse
from sidings.node.service_table import host_ports

log = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
PORT_TAKEN = "NodePortNotListening"
_BACKLOG = 128

Backend = tuple[str, int]
"""Pod uid and port of the pod."""
Dial = Callable[[str, int], Awaitable[socket.socket]]
"""A connection to a port of the pod with a uid. Raises ``SandboxFailed`` or ``OSError``."""
Note = Callable[[Object, str, str, str], None]


class Lead(NamedTuple):
    """Where a port of the machine leads."""

    owner: Object
    """The Service, or the pod with a host port."""
    backends: list[Backend]


def leads(services: Iterable[Object], pods: Sequence[Object], addresses: Mapping[str, str]) -> dict[int, Lead]:
    """The TCP ports to listen on; ``addresses`` are by pod uid. A pod's host port comes before a node port."""
    found: dict[int, Lead] = {}
    known = Backends(pods, addresses)
    for service in services:
        if not cluster_address(service):
            continue
        for port in service["spec"].get("ports") or ():
            if port.get("nodePort") and service_ports.protocol(port) == "TCP":
                targets = [(uid_of(pod), service_ports.target_port(port, pod)) for pod, _ in known.of(service)]
                found[port["nodePort"]] = Lead(service, [(uid, at) for uid, at in targets if at is not None])
    for pod in pods:
        if uid_of(pod) in addresses:
            for protocol, number, target in host_ports(pod):
                if protocol == "TCP":
                    found[number] = Lead(pod, [(uid_of(pod), target)])
    return found


class NodePorts:
    """The listeners of one agent."""

    def __init__(self, dial: Dial, note: Note, spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        """``note`` records an event (object, type, reason, message); ``spawn`` runs work beside."""
        self._dial = dial
        self._note = note
        self._spawn = spawn
        self._relay = Relay()
        self._leads: dict[int, Lead] = {}
        self._listeners: dict[int, socket.socket] = {}
        self._told: set[tuple[int, str]] = set()
        self._turn = 0

    def refresh(self, wanted: dict[int, Lead]) -> None:
        """Listen on the ports ``wanted``, and no others."""
        self._leads = wanted
        for port in self._listeners.keys() - wanted.keys():
            self._close(port)
        for port in wanted.keys() - self._listeners.keys():
            self._listen(port, wanted[port].owner)

    def close(self) -> None:
        for port in list(self._listeners):
            self._close(port)

    def _listen(self, port: int, owner: Object) -> None:
        try:
            listener = socket.create_server((LOOPBACK, port), backlog=_BACKLOG)
        except OSError as error:
            if (port, uid_of(owner)) not in self._told:
                self._told.add((port, uid_of(owner)))
                text = f"cannot listen on {LOOPBACK}:{port} of this machine: {error.strerror}"
                remedy = f"see who does with: ss -ltnp 'sport = :{port}'; pods reach it at every node's address"
                self._note(owner, "Warning", PORT_TAKEN, f"{text}; {remedy}")
            return
        listener.setblocking(False)
        self._listeners[port] = listener
        asyncio.get_running_loop().add_reader(listener, self._accept, port)

    def _close(self, port: int) -> None:
        listener = self._listeners.pop(port)
        asyncio.get_running_loop().remove_reader(listener)
        listener.close()

    def _accept(self, port: int) -> None:
        with contextlib.suppress(OSError):  # the client has left again
            client, _ = self._listeners[port].accept()
            self._spawn(self._carry(client, port))

    async def _carry(self, client: socket.socket, port: int) -> None:
        """To one pod in turns, the next where one does not answer; a connection that leads nowhere is reset."""
        backends = self._leads[port].backends if port in self._leads else []
        self._turn += 1
        for index in range(len(backends)):
            uid, target = backends[(self._turn + index) % len(backends)]
            try:
                pod = await self._dial(uid, target)
            except (OSError, SandboxFailed) as error:
                log.debug("port %s: pod %s: %s", port, uid, error)
                continue
            for end in (client, pod):
                end.setblocking(True)
            self._relay.join(client, pod)
            return
        refuse(client)
