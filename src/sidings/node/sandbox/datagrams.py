"""UDP of a Service: datagrams of each client go to one pod, and its answers back, until it is quiet for a minute."""

from __future__ import annotations

import contextlib
import selectors
import socket
import time
from dataclasses import dataclass
from functools import partial

from sidings.node.sandbox.backend_choice import Address, BackendChoice

QUIET_SECONDS = 60.0
"""Between the kernel's 30 s for one question and 120 s for a conversation (``nf_conntrack_udp_timeout*``)."""
_MAX_CLIENTS = 1024
_MESSAGE = 65535


@dataclass(eq=False)
class _Conversation:
    client: Address
    pod: socket.socket
    """Connected to the client's pod."""
    used_at: float


class Datagrams:
    """One port of one Service; ``selector`` is the caller's loop, which calls what it is registered with."""

    def __init__(self, listener: socket.socket, choice: BackendChoice, selector: selectors.BaseSelector) -> None:
        self._listener = listener
        self._choice = choice
        self._selector = selector
        self._conversations: dict[Address, _Conversation] = {}
        listener.setblocking(False)
        selector.register(listener, selectors.EVENT_READ, self._receive)

    def close(self) -> None:
        for conversation in list(self._conversations.values()):
            self._end(conversation)
        self._selector.unregister(self._listener)
        self._listener.close()

    def _receive(self) -> None:
        try:
            data, client = self._listener.recvfrom(_MESSAGE)
        except OSError:  # what an earlier answer came back with
            return
        now = time.monotonic()
        self._forget_quiet(now)
        conversation = self._conversations.get(client) or self._begin(client, now)
        if conversation is None:
            return
        conversation.used_at = now
        try:
            conversation.pod.send(data)
        except BlockingIOError:
            return  # the pod does not keep up, and UDP may lose
        except OSError:
            self._end(conversation)  # nobody listens there: the client's next one goes to another

    def _begin(self, client: Address, now: float) -> _Conversation | None:
        order = self._choice.order(client[0], now)
        if not order or len(self._conversations) >= _MAX_CLIENTS:
            return None
        pod = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        pod.setblocking(False)
        pod.connect(order[0])
        self._choice.settled(client[0], order[0], now)
        made = _Conversation(client, pod, now)
        self._conversations[client] = made
        self._selector.register(pod, selectors.EVENT_READ, partial(self._answer, made))
        return made

    def _answer(self, conversation: _Conversation) -> None:
        try:
            data = conversation.pod.recv(_MESSAGE)
        except OSError:
            self._end(conversation)
            return
        conversation.used_at = time.monotonic()
        with contextlib.suppress(OSError):  # the client is gone
            self._listener.sendto(data, conversation.client)

    def _forget_quiet(self, now: float) -> None:
        for conversation in [c for c in self._conversations.values() if now - c.used_at > QUIET_SECONDS]:
            self._end(conversation)

    def _end(self, conversation: _Conversation) -> None:
        if self._conversations.pop(conversation.client, None) is not None:
            self._selector.unregister(conversation.pod)
            conversation.pod.close()
