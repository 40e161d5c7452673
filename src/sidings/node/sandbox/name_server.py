"""The pods' DNS server: answers from a table, passes on what is outside, and says no at once.

A name server that does not answer costs a distributed job seconds: TCPStore looks up the name of every peer's
``::ffff:a.b.c.d`` and waits for each (two 2-node jobs took 29.6-32.4 s with a dead server, 15.7 s with this one). So
reverse zones and unknown names of the cluster get NXDOMAIN at once, with one exception: a name below an existing
headless Service whose pod is not known *yet* is held back for ``HOLD_SECONDS``. On a cluster a gang's pods ask for each
other before all of them are bound, get NXDOMAIN and cache it; here they get the address as soon as there is one.

Names outside of the cluster go to ``upstream``, in the process that stays in the machine's network. The table is
``dns.json``, replaced by the agent before a pod starts; it stays in force while no agent runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sidings.node.sandbox import dns_message
from sidings.node.sandbox.dns_message import Question, Record

HOLD_SECONDS = 2.0
"""Below the resolver's own five seconds, so that it never asks twice."""
PATIENCE_SECONDS = 4.5
"""How long ``upstream`` may take."""
CLUSTER = "cluster.local"
_REVERSE = ("in-addr.arpa", "ip6.arpa")
_RECHECK_SECONDS = 0.02
_MAX_ASKED = 1024
_MAX_STREAMS = 64
_MESSAGE = 65535
_POD_NAME = re.compile(rf"(\d+-\d+-\d+-\d+)\.[a-z0-9-]+\.pod\.{re.escape(CLUSTER)}")

Address = tuple[str, int]


@dataclass(frozen=True)
class Table:
    """Who is who: ``names`` to addresses, ``reverse`` from address to name, ``zones`` whose names may still come."""

    names: dict[str, list[str]] = field(default_factory=dict)
    reverse: dict[str, str] = field(default_factory=dict)
    zones: frozenset[str] = frozenset()
    aliases: dict[str, str] = field(default_factory=dict)
    """Services that are a name outside (``ExternalName``)."""
    ports: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """``_port._protocol.<service>`` to (number, target)."""

    @staticmethod
    def load(text: str) -> Table:
        value = json.loads(text)
        ports = {name: [(port, target) for port, target in found] for name, found in value.get("ports", {}).items()}
        return Table(value["names"], value["reverse"], frozenset(value["zones"]), value.get("aliases", {}), ports)

    def dump(self) -> str:
        return json.dumps(
            {
                "names": self.names,
                "reverse": self.reverse,
                "zones": sorted(self.zones),
                "aliases": self.aliases,
                "ports": self.ports,
            }
        )


def is_outside(name: str) -> bool:
    """Whether ``name`` is for other servers: neither the cluster's, nor a reverse zone, nor a word without a dot."""
    inside = any(name == zone or name.endswith("." + zone) for zone in (CLUSTER, *_REVERSE))
    return "." in name and not inside


def answer(table: Table, asked: Question, *, final: bool) -> bytes | None:
    """The reply to ``asked``, of names that are not outside; None to hold it back (never with ``final``)."""
    name, kind = asked.name, asked.kind
    if not dns_message.is_plain(asked):
        return dns_message.reply(asked, code=dns_message.NOT_IMPLEMENTED)
    addresses = table.names.get(name) or _of_pod(name)
    if target := table.aliases.get(name):
        chased = [dns_message.address(found, target) for found in table.names.get(target, ())]
        return dns_message.reply(asked, [dns_message.alias(target), *(chased if kind == dns_message.A else ())])
    if addresses is not None:
        found = [dns_message.address(address) for address in addresses]
        return dns_message.reply(asked, found if kind in (dns_message.A, dns_message.ANY) else ())
    if (ports := table.ports.get(name)) is not None:
        found = [dns_message.service(port, target) for port, target in ports]
        return dns_message.reply(asked, found if kind in (dns_message.SRV, dns_message.ANY) else ())
    if (owner := table.reverse.get(_reversed_address(name))) is not None:
        return dns_message.reply(
            asked, [dns_message.pointer(owner)] if kind in (dns_message.PTR, dns_message.ANY) else ()
        )
    if not final and name.partition(".")[2] in table.zones:
        return None
    return dns_message.reply(asked, code=dns_message.NAME_ERROR)


def serve(datagrams: socket.socket, streams: socket.socket, path: Path, upstream: Address) -> NoReturn:
    """Answer for ever from the table at ``path``, on UDP and TCP; ``upstream`` is where names outside are asked for."""
    server = NameServer(datagrams, streams, path, upstream)
    while True:
        server.step()


class NameServer:
    """The event loop; a connection is a thread."""

    def __init__(self, datagrams: socket.socket, streams: socket.socket, path: Path, upstream: Address) -> None:
        self._datagrams = datagrams
        self._streams = streams
        self._table = _TableFile(path)
        self._upstream_address = upstream
        self._upstream = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._upstream.connect(upstream)
        self._held: list[tuple[float, Question, Address]] = []
        self._asked: dict[int, _Passed] = {}
        self._selector = selectors.DefaultSelector()
        self._selector.register(datagrams, selectors.EVENT_READ, self._receive)
        self._selector.register(streams, selectors.EVENT_READ, self._accept)
        self._selector.register(self._upstream, selectors.EVENT_READ, self._hear)

    def step(self) -> None:
        """Wait for what comes next, and see to it."""
        for key, _ in self._selector.select(_RECHECK_SECONDS if self._held else 1 if self._asked else None):
            key.data()
        self._look_again()
        self._give_up()

    def close(self) -> None:
        self._selector.close()
        self._upstream.close()

    def _receive(self) -> None:
        query, client = self._datagrams.recvfrom(_MESSAGE)
        try:
            asked = dns_message.question(query)
        except ValueError:
            return
        table = self._table.current()
        target = table.aliases.get(asked.name, "")
        if not dns_message.is_plain(asked) or not is_outside(target or asked.name):
            self._held.append((time.monotonic() + HOLD_SECONDS, asked, client))
        elif target:
            alias = dns_message.query(0, target, asked.kind)
            self._pass_on(alias, asked, lambda reply: self._datagrams.sendto(_chased(asked, target, reply), client))
        else:
            self._pass_on(query, asked, lambda reply: self._datagrams.sendto(query[:2] + reply[2:], client))

    def _look_again(self) -> None:
        """Answer what can be answered by now."""
        if not self._held:
            return
        table, now, waiting = self._table.current(), time.monotonic(), self._held
        self._held = []
        for due, asked, client in waiting:
            reply = answer(table, asked, final=now >= due)
            if reply is None:
                self._held.append((due, asked, client))
            else:
                self._datagrams.sendto(reply, client)

    # Names outside

    def _pass_on(self, query: bytes, asked: Question, done: Callable[[bytes], object]) -> None:
        number = int.from_bytes(os.urandom(2))
        if number in self._asked or len(self._asked) >= _MAX_ASKED:
            done(_failure(asked))
            return
        self._asked[number] = _Passed(time.monotonic() + PATIENCE_SECONDS, asked, done)
        try:
            self._upstream.send(number.to_bytes(2, "big") + query[2:])
        except OSError:
            self._fail(number)

    def _hear(self) -> None:
        try:
            reply = self._upstream.recv(_MESSAGE)
        except OSError:  # nobody listens there: what was asked last is refused, the rest in its time
            if self._asked:
                self._fail(next(reversed(self._asked)))
            return
        if passed := self._asked.pop(int.from_bytes(reply[:2], "big"), None):
            passed.done(reply)

    def _give_up(self) -> None:
        now = time.monotonic()
        for number in [number for number, passed in self._asked.items() if passed.due <= now]:
            self._fail(number)

    def _fail(self, number: int) -> None:
        passed = self._asked.pop(number)
        passed.done(_failure(passed.asked))

    # Questions over TCP, for answers that are too long for a datagram

    def _accept(self) -> None:
        # The client has left again, or the machine is out of processes.
        with contextlib.suppress(OSError, RuntimeError):
            client, _ = self._streams.accept()
            if threading.active_count() > _MAX_STREAMS:
                client.close()
            else:
                threading.Thread(target=self._serve_stream, args=(client,), daemon=True).start()

    def _serve_stream(self, client: socket.socket) -> None:
        with client, contextlib.suppress(OSError, ValueError):
            client.settimeout(PATIENCE_SECONDS)
            while query := _read_framed(client):
                asked = dns_message.question(query)
                if is_outside(asked.name) and dns_message.is_plain(asked):
                    with socket.create_connection(self._upstream_address, PATIENCE_SECONDS) as upstream:
                        _send_framed(upstream, query)
                        reply = _read_framed(upstream)
                else:
                    reply = answer(_TableFile(self._table.path).current(), asked, final=True) or b""
                _send_framed(client, reply)


@dataclass(frozen=True)
class _Passed:
    due: float
    asked: Question
    done: Callable[[bytes], object]


class _TableFile:
    """The table on disk, read again when it was replaced."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: tuple[int, int] | None = None
        self._table = Table()

    def current(self) -> Table:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return self._table
        version = (found.st_ino, found.st_mtime_ns)
        if version != self._seen:
            self._seen = version
            self._table = Table.load(self.path.read_text())
        return self._table


def _chased(asked: Question, target: str, reply: bytes) -> bytes:
    """The reply about an alias, from that about its target."""
    try:
        found: list[Record] = dns_message.addresses(reply, target)
    except ValueError:
        return _failure(asked)
    return dns_message.reply(asked, [dns_message.alias(target), *found], dns_message.code_of(reply))


def _failure(asked: Question) -> bytes:
    return dns_message.reply(asked, code=dns_message.SERVER_FAILURE, authoritative=False)


def _read_framed(connection: socket.socket) -> bytes:
    """The next message of a stream, which its length precedes; b"" at the end."""
    head = connection.recv(2, socket.MSG_WAITALL)
    if len(head) < 2:
        return b""
    return connection.recv(struct.unpack("!H", head)[0], socket.MSG_WAITALL)


def _send_framed(connection: socket.socket, message: bytes) -> None:
    connection.sendall(struct.pack("!H", len(message)) + message)


def _of_pod(name: str) -> list[str] | None:
    """``10-244-1-2.<namespace>.pod.cluster.local`` says its address itself."""
    found = _POD_NAME.fullmatch(name)
    if found is None or any(int(part) > 255 for part in found[1].split("-")):
        return None
    return [found[1].replace("-", ".")]


def _reversed_address(name: str) -> str:
    """``4.3.2.1.in-addr.arpa`` -> ``1.2.3.4``; anything else names no address."""
    labels = name.split(".")
    return ".".join(reversed(labels[:4])) if labels[4:] == ["in-addr", "arpa"] else ""
