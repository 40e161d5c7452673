"""Addresses of Services: TCP connections and datagrams to them, carried to one of their pods.

All of 10.96.0.0/12 is local to the node's network namespace (one route), so that a process in it can listen on any
Service's address; pods get there by their default route. No packet filter takes part, hence no privilege and no program
that a machine may lack. A connection costs two threads, and pods see it come from the bridge's address. A port without
a ready pod has no listener, so that connections to it are refused at once, as kube-proxy's REJECT does.

The table is ``services.json``, replaced by the agent; it stays in force while no agent runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, NoReturn

from sidings.node.sandbox import syscalls
from sidings.node.sandbox.backend_choice import Address, BackendChoice
from sidings.node.sandbox.datagrams import Datagrams
from sidings.node.sandbox.outside import is_reachable
from sidings.node.sandbox.relay import Relay, connect

DIAL_SECONDS = 5.0
"""How long one pod may take to accept before the next is tried."""
_BACKLOG = 512


class Entry(NamedTuple):
    """Where one port of a Service leads."""

    targets: list[str]
    """``address:port`` of its ready pods."""
    sticky_seconds: int = 0
    """Of ``sessionAffinity: ClientIP``; 0 for none."""


Table = dict[str, Entry]
"""By ``entry_name``; lists in place of entries in the file."""


def entry_name(protocol: str, address: str, port: int) -> str:
    """``tcp/10.96.0.1:443``"""
    return f"{protocol.lower()}/{address}:{port}"


class _Connections:
    """TCP of one port of one Service."""

    def __init__(
        self, listener: socket.socket, choice: BackendChoice, selector: selectors.BaseSelector, relay: Relay
    ) -> None:
        self._listener = listener
        self._choice = choice
        self._selector = selector
        self._relay = relay
        selector.register(listener, selectors.EVENT_READ, self._accept)

    def close(self) -> None:
        self._selector.unregister(self._listener)
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the client has left again
            client, (host, _) = self._listener.accept()
            order = self._choice.order(host, time.monotonic())
            self._relay.carry(client, partial(self._dial, host, order))

    def _dial(self, host: str, order: list[Address], client: socket.socket) -> socket.socket | None:
        """A connection to the first of ``order`` that accepts it."""
        for target in order:
            if (found := connect(target, DIAL_SECONDS)) is not None:
                self._choice.settled(host, target, time.monotonic())
                return found
        return None


class ServiceProxy:
    """The listeners of one node; ``path`` is the table's file, ``placed`` where an address in it really is."""

    def __init__(self, path: Path, placed: Callable[[str, int], Address]) -> None:
        self._path = path
        self._placed = placed
        self._seen: tuple[int, int] | None = None
        self._relay = Relay()
        self._selector = selectors.DefaultSelector()
        self._choices: dict[str, BackendChoice] = {}
        self._served: dict[str, _Connections | Datagrams] = {}
        self._changes = syscalls.watch_renames(str(path.parent))
        self._selector.register(self._changes, selectors.EVENT_READ, self._changed)

    def serve(self) -> NoReturn:
        self._refresh()
        while True:
            for key, _ in self._selector.select():
                key.data()  # of what was closed before in this round: its socket says so

    def _changed(self) -> None:
        os.read(self._changes, 65536)
        self._refresh()

    def _refresh(self) -> None:
        """Take over the table, if it was replaced."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return
        if (version := (found.st_ino, found.st_mtime_ns)) == self._seen:
            return
        self._seen = version
        table = {name: Entry(*entry) for name, entry in json.loads(self._path.read_text()).items()}
        for name in self._choices.keys() - table.keys():
            del self._choices[name]
        for name, entry in table.items():
            self._choices.setdefault(name, BackendChoice()).update(
                [self._target(target) for target in entry.targets], entry.sticky_seconds
            )
        wanted = {name for name, entry in table.items() if entry.targets}
        for name in self._served.keys() - wanted:
            self._served.pop(name).close()
        for name in wanted - self._served.keys():
            self._listen(name)

    def _listen(self, name: str) -> None:
        protocol, _, where = name.partition("/")
        # A Service may have been given an address outside of the range; nobody can listen there.
        with contextlib.suppress(OSError):
            if protocol == "udp":
                datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                datagrams.bind(self._address(where))
                self._served[name] = Datagrams(datagrams, self._choices[name], self._selector)
            else:
                listener = socket.create_server(self._address(where), backlog=_BACKLOG)
                self._served[name] = _Connections(listener, self._choices[name], self._selector, self._relay)

    def _target(self, text: str) -> Address:
        """Endpoints may be outside of the pods' network; those are where they say."""
        host, _, port = text.rpartition(":")
        return (host, int(port)) if is_reachable(host) else self._address(text)

    def _address(self, text: str) -> Address:
        host, _, port = text.rpartition(":")
        return self._placed(host, int(port))


def serve(path: Path, placed: Callable[[str, int], Address]) -> NoReturn:
    """Carry connections for ever, by the table at ``path``."""
    ServiceProxy(path, placed).serve()
