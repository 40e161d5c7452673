import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from sidings.node.sandbox import dns_message
from sidings.node.sandbox.dns_message import AAAA, CNAME, PTR, SRV, A
from sidings.node.sandbox.name_server import NameServer, Table, answer, is_outside

TABLE = Table(
    {
        "w-0.workers.default.svc.cluster.local": ["10.244.1.2"],
        "workers.default.svc.cluster.local": ["10.244.1.2", "10.244.1.3"],
    },
    {"10.244.1.2": "w-0.workers.default.svc.cluster.local"},
    frozenset({"workers.default.svc.cluster.local", "empty.default.svc.cluster.local"}),
    {
        "db.default.svc.cluster.local": "db.example.com",
        "near.default.svc.cluster.local": "workers.default.svc.cluster.local",
    },
    {"_http._tcp.web.default.svc.cluster.local": [(80, "web.default.svc.cluster.local")]},
)


def _ask(name: str, kind: int = A) -> tuple[int, list[bytes]]:
    """(response code, record data)."""
    query = dns_message.query(7, name, kind)
    reply = answer(TABLE, dns_message.question(query), final=True)
    assert reply is not None
    number, flags, questions, count, _, _ = struct.unpack_from("!HHHHHH", reply)
    assert (number, questions, flags & 0x8000) == (7, 1, 0x8000)
    position, records = len(query), []
    for _ in range(count):
        if reply[position] & 0xC0 != 0xC0:
            position = reply.index(b"\0", position) - 1  # a name in full, not a pointer
        _, _, _, _, length = struct.unpack_from("!HHHIH", reply, position)
        records.append(reply[position + 12 : position + 12 + length])
        position += 12 + length
    assert position == len(reply)
    return flags & 0xF, records


def test_a_pod_and_its_service_resolve() -> None:
    assert _ask("w-0.workers.default.svc.cluster.local") == (0, [socket.inet_aton("10.244.1.2")])
    assert len(_ask("Workers.Default.svc.cluster.local")[1]) == 2


def test_an_address_resolves_back() -> None:
    code, (name,) = _ask("2.1.244.10.in-addr.arpa", PTR)
    assert (code, name[:4], name[-7:]) == (0, b"\x03w-0", b"\x05local\0")


def test_a_known_name_without_the_record_is_no_error() -> None:
    assert _ask("w-0.workers.default.svc.cluster.local", AAAA) == (0, [])


@pytest.mark.parametrize(
    "name",
    [
        "example.com", "nobody.workers.default.svc.cluster.local", "9.9.244.10.in-addr.arpa",
        "2.0.1.0.4.4.2.0.a.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa",
    ],
)  # fmt: skip
def test_everything_else_does_not_exist(name: str) -> None:
    assert _ask(name, A)[0] == 3


def test_only_a_pod_still_to_come_is_waited_for() -> None:
    assert answer(TABLE, _asked("w-1.workers.default.svc.cluster.local"), final=False) is None
    for name in ("w-1.other.default.svc.cluster.local", "a.b.workers.default.svc.cluster.local"):
        assert answer(TABLE, _asked(name), final=False) is not None


def _asked(name: str) -> dns_message.Question:
    return dns_message.question(dns_message.query(7, name, A))


def test_a_headless_service_of_which_nobody_is_ready_does_not_exist() -> None:
    assert _ask("empty.default.svc.cluster.local") == (3, [])


def test_a_named_port_has_a_record_of_its_own() -> None:
    code, (record,) = _ask("_http._tcp.web.default.svc.cluster.local", SRV)
    assert (code, struct.unpack_from("!HHH", record)) == (0, (0, 100, 80))


def test_an_external_name_is_an_alias_and_one_inside_is_followed() -> None:
    code, records = _ask("near.default.svc.cluster.local")
    assert (code, len(records)) == (0, 3) and records[1:] == [socket.inet_aton(f"10.244.1.{n}") for n in (2, 3)]
    assert len(_ask("near.default.svc.cluster.local", CNAME)[1]) == 1


def test_a_pod_name_with_dashes_says_its_address() -> None:
    assert _ask("10-244-1-2.default.pod.cluster.local") == (0, [socket.inet_aton("10.244.1.2")])
    assert _ask("10-244-1-999.default.pod.cluster.local") == (3, [])


@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("example.com", True),
        ("files.pythonhosted.org", True),
        ("cluster.local.example.com", True),
        ("web.default.svc.cluster.local", False),
        ("cluster.local", False),
        ("1.2.0.192.in-addr.arpa", False),
        ("worker-0", False),
    ],
)
def test_only_names_of_others_are_passed_on(name: str, outside: bool) -> None:
    assert is_outside(name) is outside


def test_the_table_survives_its_file() -> None:
    assert Table.load(TABLE.dump()) == TABLE


class Server:
    """A name server between a client and an upstream that answers everything with 192.0.2.1."""

    def __init__(self, path: Path) -> None:
        path.write_text(TABLE.dump())
        self.client, self.upstream, self._datagrams = (_bound(socket.SOCK_DGRAM) for _ in range(3))
        self._streams = _bound(socket.SOCK_STREAM)
        self._streams.listen()
        self._server = NameServer(self._datagrams, self._streams, path, self.upstream.getsockname())

    def ask(self, name: str) -> None:
        self.client.sendto(dns_message.query(7, name, A), self._datagrams.getsockname())
        self._server.step()

    def step(self) -> None:
        self._server.step()

    def pass_on(self) -> None:
        query, server = self.upstream.recvfrom(4096)
        asked = dns_message.question(query)
        self.upstream.sendto(dns_message.reply(asked, [dns_message.address("192.0.2.1")]), server)
        self._server.step()

    def heard(self) -> tuple[int, int, list[bytes]]:
        reply = self.client.recv(4096)
        found = [record.data for record in dns_message.addresses(reply, "")]
        return int.from_bytes(reply[:2], "big"), dns_message.code_of(reply), found

    def stream(self, query: bytes) -> bytes:
        with socket.create_connection(self._streams.getsockname(), 5) as connected:
            connected.sendall(struct.pack("!H", len(query)) + query)
            connected.shutdown(socket.SHUT_WR)
            self._server.step()
            return connected.makefile("rb").read()[2:]

    def close(self) -> None:
        self._server.close()
        for made in (self.client, self.upstream, self._datagrams, self._streams):
            made.close()


def _bound(kind: socket.SocketKind) -> socket.socket:
    made = socket.socket(socket.AF_INET, kind)
    made.bind(("127.0.0.1", 0))
    made.settimeout(60)
    return made


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(tmp_path / "dns.json")
    yield made
    made.close()


def test_a_name_outside_is_asked_for_upstream(server: Server) -> None:
    server.ask("example.com")
    server.pass_on()
    assert server.heard() == (7, 0, [socket.inet_aton("192.0.2.1")])


def test_an_external_name_is_followed_outside(server: Server) -> None:
    server.ask("db.default.svc.cluster.local")
    server.pass_on()
    assert server.heard() == (7, 0, [socket.inet_aton("192.0.2.1")])


def test_without_an_upstream_a_name_outside_fails_at_once(server: Server) -> None:
    server.upstream.close()
    server.ask("example.com")
    server.step()
    assert server.heard()[:2] == (7, dns_message.SERVER_FAILURE)


def test_names_of_the_cluster_need_no_upstream(server: Server) -> None:
    server.ask("w-0.workers.default.svc.cluster.local")
    assert server.heard() == (7, 0, [socket.inet_aton("10.244.1.2")])


def test_questions_come_over_tcp_as_well(server: Server) -> None:
    reply = server.stream(dns_message.query(9, "workers.default.svc.cluster.local", A))
    assert len(dns_message.addresses(reply, "")) == 2
