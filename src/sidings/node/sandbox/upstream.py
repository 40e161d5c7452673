"""Names outside of the cluster: questions of the pods' name server, put to the machine's resolvers.

It is part of the process that stays in the machine's network, so a resolver on the machine's loopback (systemd's
127.0.0.53) is reached as well. No question waits long: a resolver that refuses costs nothing, one that is silent two
seconds, and when all were silent the next ten seconds' questions fail at once, because a job whose every look-up waits
for a dead resolver takes minutes to start.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sidings.node.sandbox import dns_message, relay
from sidings.node.sandbox.dns_message import Question

RESOLVERS = Path("/etc/resolv.conf")
ANSWER_SECONDS = 2.0
SILENCE_SECONDS = 10.0
DNS_PORT = 53
_MAX_RESOLVERS = 3
_MAX_WAITING = 1024
_MESSAGE = 65535


def resolvers(text: str) -> list[str]:
    """The first three name servers of a resolv.conf."""
    found = [line.split()[1] for line in text.splitlines() if line.startswith("nameserver") and len(line.split()) > 1]
    return found[:_MAX_RESOLVERS]


@dataclass(eq=False)
class _Waiting:
    """A question that a resolver has been asked."""

    asked: Question
    query: bytes
    client: tuple[str, int]
    number: int
    connected: socket.socket
    due: float
    left: list[str]
    """Resolvers still to be asked."""


class Upstream:
    """Questions that come on ``listener`` (UDP), answered on it. The selector is the caller's loop."""

    def __init__(
        self,
        listener: socket.socket,
        selector: selectors.BaseSelector,
        *,
        file: Path = RESOLVERS,
        port: int = DNS_PORT,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``file`` names the resolvers, which answer at ``port``; it is read again for every question."""
        self._listener = listener
        self._selector = selector
        self._file = file
        self._port = port
        self._now = now
        self._waiting: set[_Waiting] = set()
        self._silent_until = 0.0
        selector.register(listener, selectors.EVENT_READ, self._receive)

    def seconds_left(self) -> float | None:
        """Until ``give_up`` has something to do."""
        now = self._now()
        return max(min(waiting.due for waiting in self._waiting) - now, 0) if self._waiting else None

    def give_up(self) -> None:
        """Turn from resolvers that were silent to the next ones."""
        now = self._now()
        for waiting in [waiting for waiting in self._waiting if waiting.due <= now]:
            self._forget(waiting)
            if not waiting.left:
                self._silent_until = now + SILENCE_SECONDS
            self._ask(waiting.asked, waiting.query, waiting.client, waiting.left)

    def dial(self, client: socket.socket) -> socket.socket | None:
        """A connection to the first resolver that takes one, for answers that are too long for a datagram."""
        for resolver in self._known():
            if (found := relay.connect((resolver, self._port), ANSWER_SECONDS)) is not None:
                return found
        return None

    def _known(self) -> list[str]:
        with contextlib.suppress(OSError):
            return resolvers(self._file.read_text())
        return []

    def _receive(self) -> None:
        query, client = self._listener.recvfrom(_MESSAGE)
        try:
            asked = dns_message.question(query)
        except ValueError:
            return
        silent = self._now() < self._silent_until or len(self._waiting) >= _MAX_WAITING
        self._ask(asked, query, client, [] if silent else self._known())

    def _ask(self, asked: Question, query: bytes, client: tuple[str, int], left: list[str]) -> None:
        """Ask the first of ``left`` that can be asked, from a port and with a number that nobody can guess."""
        while left:
            resolver, left = left[0], left[1:]
            number = int.from_bytes(os.urandom(2))
            try:
                made = socket.socket(socket.AF_INET6 if ":" in resolver else socket.AF_INET, socket.SOCK_DGRAM)
            except OSError:
                break  # no descriptor left
            try:
                made.connect((resolver, self._port))
                made.send(number.to_bytes(2, "big") + query[2:])
            except OSError:
                made.close()
                continue
            waiting = _Waiting(asked, query, client, number, made, self._now() + ANSWER_SECONDS, left)
            self._waiting.add(waiting)
            self._selector.register(made, selectors.EVENT_READ, partial(self._hear, waiting))
            return
        refusal = dns_message.reply(asked, code=dns_message.SERVER_FAILURE, authoritative=False)
        self._listener.sendto(refusal, client)

    def _hear(self, waiting: _Waiting) -> None:
        try:
            answer = waiting.connected.recv(_MESSAGE)
        except OSError:  # refused
            self._forget(waiting)
            self._ask(waiting.asked, waiting.query, waiting.client, waiting.left)
            return
        if answer[:2] != waiting.number.to_bytes(2, "big") or waiting.asked.raw.lower() not in answer.lower():
            return  # not the answer to what was asked
        self._forget(waiting)
        self._silent_until = 0.0
        self._listener.sendto(waiting.query[:2] + answer[2:], waiting.client)

    def _forget(self, waiting: _Waiting) -> None:
        self._waiting.discard(waiting)
        self._selector.unregister(waiting.connected)
        waiting.connected.close()
