"""Questions that are put to the machine's resolvers: real sockets on the loopback, and time as the test says."""

from __future__ import annotations

import selectors
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sidings.node.sandbox import dns_message
from sidings.node.sandbox.upstream import ANSWER_SECONDS, SILENCE_SECONDS, Upstream, resolvers

NAME = "files.example.org"


class Town:
    """An ``Upstream`` between a client and a resolver that answers what it is told to."""

    def __init__(self, file: Path) -> None:
        self.time = 0.0
        self.resolver = _bound()
        self.client = _bound()
        self._listener = _bound()
        self._file = file
        self._selector = selectors.DefaultSelector()
        self.resolvers("127.0.0.1")
        port = self.resolver.getsockname()[1]
        self.upstream = Upstream(self._listener, self._selector, file=file, port=port, now=lambda: self.time)

    def resolvers(self, *addresses: str) -> None:
        self._file.write_text("".join(f"nameserver {address}\n" for address in addresses))

    def ask(self, number: int = 7) -> None:
        self.client.sendto(dns_message.query(number, NAME, dns_message.A), self._listener.getsockname())
        self.step()

    def step(self) -> None:
        for key, _ in self._selector.select(1):
            key.data()

    def answer(self, change: Callable[[bytes], bytes] = lambda reply: reply) -> None:
        """The resolver answers the question that it has got."""
        query, asker = self.resolver.recvfrom(4096)
        asked = dns_message.question(query)
        reply = dns_message.reply(asked, [dns_message.address("192.0.2.1")], authoritative=False)
        self.resolver.sendto(change(reply), asker)
        self.step()

    def heard(self) -> tuple[int, int, int]:
        """(number, response code, count of addresses) that the client got."""
        reply = self.client.recv(4096)
        return int.from_bytes(reply[:2], "big"), dns_message.code_of(reply), len(dns_message.addresses(reply, NAME))

    def close(self) -> None:
        while (left := self.upstream.seconds_left()) is not None:
            self.time += left
            self.resolvers()
            self.upstream.give_up()
        self._selector.close()
        for made in (self.resolver, self.client, self._listener):
            made.close()


def _bound() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.settimeout(60)
    return made


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path / "resolv.conf")
    yield made
    made.close()


def test_an_answer_comes_back_to_who_asked(town: Town) -> None:
    town.ask(7)
    town.answer()
    assert town.heard() == (7, dns_message.NO_ERROR, 1)
    assert town.upstream.seconds_left() is None


def test_no_resolver_is_an_answer_at_once(town: Town) -> None:
    town.resolvers()
    town.ask(7)
    assert town.heard() == (7, dns_message.SERVER_FAILURE, 0)


def test_a_resolver_that_refuses_costs_nothing(town: Town) -> None:
    town.resolver.close()
    town.ask(7)
    town.step()
    assert (town.time, town.heard()) == (0, (7, dns_message.SERVER_FAILURE, 0))


def test_after_a_silent_resolver_comes_the_next(town: Town) -> None:
    town.resolvers("127.0.0.1", "127.0.0.1")
    town.ask(7)
    town.resolver.recv(4096)
    town.time = ANSWER_SECONDS
    town.upstream.give_up()
    town.answer()
    assert town.heard() == (7, dns_message.NO_ERROR, 1)


def test_silence_of_all_resolvers_is_remembered_for_a_while(town: Town) -> None:
    town.ask(1)
    town.resolver.recv(4096)
    town.time = ANSWER_SECONDS
    town.upstream.give_up()
    assert town.heard() == (1, dns_message.SERVER_FAILURE, 0)
    town.ask(2)
    assert town.heard() == (2, dns_message.SERVER_FAILURE, 0)
    town.time += SILENCE_SECONDS
    town.ask(3)
    town.answer()
    assert town.heard() == (3, dns_message.NO_ERROR, 1)


@pytest.mark.parametrize(
    "forge",
    [lambda reply: bytes((reply[0] ^ 1,)) + reply[1:], lambda reply: reply.replace(b"example", b"exbmple")],
)
def test_an_answer_that_was_not_asked_for_is_passed_over(town: Town, forge: Callable[[bytes], bytes]) -> None:
    town.ask(7)
    town.answer(forge)
    assert town.upstream.seconds_left() == ANSWER_SECONDS


def test_rubbish_is_not_asked(town: Town) -> None:
    town.client.sendto(b"rubbish", town._listener.getsockname())
    town.step()
    assert town.upstream.seconds_left() is None


def test_resolvers_are_the_first_three_of_the_file() -> None:
    lines = ["search a b", "nameserver 10.0.0.1", "# nameserver 9.9.9.9", "nameserver fe80::1%eth0", "nameserver"]
    assert resolvers("\n".join([*lines, "nameserver c", "nameserver d"])) == ["10.0.0.1", "fe80::1%eth0", "c"]
