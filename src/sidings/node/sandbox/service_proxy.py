"""Cluster addresses of Services: TCP connections to them, carried to one of their pods.

All of 10.96.0.0/12 is local to the node's network namespace (one route), so that a process in it can listen on any
Service's address; pods get there by their default route. No packet filter takes part, hence no privilege and no program
that a machine may lack. A connection costs two threads, and pods see it come from the bridge's address.

The table is ``services.json``, replaced by the agent; it stays in force while no agent runs.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import selectors
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from sidings.node.sandbox import syscalls
from sidings.node.sandbox.relay import Relay, connect

DIAL_SECONDS = 5.0
"""How long one pod may take to accept before the next is tried."""
_BACKLOG = 512

Address = tuple[str, int]
Table = dict[str, list[str]]
"""``address:port`` of a Service -> ``address:port`` of its ready pods."""


class ServiceProxy:
    """The listeners of one node; ``path`` is the table's file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self._relay = Relay()
        self._selector = selectors.DefaultSelector()
        self._listeners: dict[str, socket.socket] = {}
        self._targets: dict[str, Sequence[Address]] = {}
        self._turns: dict[str, Iterator[int]] = {}
        self._changes = syscalls.watch_renames(str(path.parent))
        self._selector.register(self._changes, selectors.EVENT_READ, None)

    def serve(self) -> NoReturn:
        self._refresh()
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    os.read(self._changes, 65536)
                    self._refresh()
                else:
                    self._accept(key.data)

    def _refresh(self) -> None:
        """Take over the table, if it was replaced."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            return
        if (version := (found.st_ino, found.st_mtime_ns)) == self._seen:
            return
        self._seen = version
        table: Table = json.loads(self._path.read_text())
        self._targets = {name: [_address(target) for target in targets] for name, targets in table.items() if targets}
        for name in self._listeners.keys() - self._targets.keys():
            listener = self._listeners.pop(name)
            self._selector.unregister(listener)
            listener.close()
        for name in self._targets.keys() - self._listeners.keys():
            self._listen(name)

    def _listen(self, name: str) -> None:
        # A Service may have been given an address outside of the range; nobody can listen there.
        with contextlib.suppress(OSError):
            listener = socket.create_server(_address(name), backlog=_BACKLOG)
            self._listeners[name] = listener
            self._turns.setdefault(name, itertools.count())
            self._selector.register(listener, selectors.EVENT_READ, name)

    def _accept(self, name: str) -> None:
        listener = self._listeners.get(name)
        if listener is None:
            return
        with contextlib.suppress(OSError):  # the client has left again
            client, _ = listener.accept()
            targets = self._targets[name]
            first = next(self._turns[name]) % len(targets)
            order = [*targets[first:], *targets[:first]]
            self._relay.carry(client, lambda client: _dial(order))


def serve(path: Path) -> NoReturn:
    """Carry connections for ever, by the table at ``path``."""
    ServiceProxy(path).serve()


def _address(text: str) -> Address:
    host, _, port = text.rpartition(":")
    return host, int(port)


def _dial(targets: Sequence[Address]) -> socket.socket | None:
    """A connection to the first of ``targets`` that accepts it."""
    for target in targets:
        if (found := connect(target, DIAL_SECONDS)) is not None:
            return found
    return None
