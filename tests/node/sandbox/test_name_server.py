import socket
import struct

import pytest

from sidings.node.sandbox.name_server import Table, answer

A, AAAA, PTR = 1, 28, 12
TABLE = Table(
    {
        "w-0.workers.default.svc.cluster.local": ["10.244.1.2"],
        "workers.default.svc.cluster.local": ["10.244.1.2", "10.244.1.3"],
    },
    {"10.244.1.2": "w-0.workers.default.svc.cluster.local"},
    frozenset({"workers.default.svc.cluster.local"}),
)


def _query(name: str, kind: int) -> bytes:
    labels = b"".join(bytes((len(label),)) + label.encode() for label in name.split("."))
    return struct.pack("!HHHHHH", 7, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack("!HH", kind, 1)


def _ask(name: str, kind: int = A) -> tuple[int, list[bytes]]:
    """(response code, record data)."""
    query = _query(name, kind)
    reply = answer(TABLE, query, final=True)
    assert reply is not None
    number, flags, questions, count, _, _ = struct.unpack_from("!HHHHHH", reply)
    assert (number, questions, flags & 0x8000) == (7, 1, 0x8000)
    position, records = len(query), []
    for _ in range(count):
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
    assert answer(TABLE, _query("w-1.workers.default.svc.cluster.local", A), final=False) is None
    for name in ("example.com", "w-1.other.default.svc.cluster.local", "a.b.workers.default.svc.cluster.local"):
        assert answer(TABLE, _query(name, A), final=False) is not None


@pytest.mark.parametrize(
    "rubbish", [b"", b"abc", _query("a.b", A)[:20], _query("a.b", A)[:14] + b"\xc0\x0c", b"\xff" * 40]
)
def test_rubbish_is_refused(rubbish: bytes) -> None:
    with pytest.raises(ValueError, match=r"DNS query|compressed"):
        answer(TABLE, rubbish, final=True)


def test_the_table_survives_its_file() -> None:
    assert Table.load(TABLE.dump()) == TABLE
