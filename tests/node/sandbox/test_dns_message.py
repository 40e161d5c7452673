import struct

import pytest

from sidings.node.sandbox import dns_message
from sidings.node.sandbox.dns_message import AAAA, CNAME, SRV, A, Record


def test_a_query_is_understood_as_it_was_meant() -> None:
    asked = dns_message.question(dns_message.query(7, "Web.Default.svc.cluster.local", A))
    assert (asked.number, asked.name, asked.kind) == (7, "web.default.svc.cluster.local", A)
    assert dns_message.is_plain(asked)


@pytest.mark.parametrize(
    "rubbish",
    [
        b"",
        b"abc",
        dns_message.query(1, "a.b", A)[:20],
        dns_message.query(1, "a.b", A)[:14] + b"\xc0\x0c",
        b"\xff" * 40,
    ],
)
def test_rubbish_is_refused(rubbish: bytes) -> None:
    with pytest.raises(ValueError, match=r"DNS query|compressed"):
        dns_message.question(rubbish)


def test_other_classes_and_operations_are_not_plain() -> None:
    query = bytearray(dns_message.query(1, "version.bind", 16))
    query[-1] = 3  # CHAOS
    assert not dns_message.is_plain(dns_message.question(bytes(query)))


def test_a_reply_repeats_number_and_question() -> None:
    asked = dns_message.question(dns_message.query(9, "a.b", A))
    reply = dns_message.reply(asked, [dns_message.address("10.0.0.1")])
    number, flags, questions, answers = struct.unpack_from("!HHHH", reply)
    assert (number, flags & 0x8400, questions, answers) == (9, 0x8400, 1, 1)
    assert dns_message.code_of(reply) == dns_message.NO_ERROR
    assert dns_message.addresses(reply, "c.d") == [Record(A, b"\x0a\0\0\x01", "c.d")]


def test_addresses_are_found_behind_aliases_and_compressed_names() -> None:
    asked = dns_message.question(dns_message.query(1, "www.example.com", A))
    records = [
        dns_message.alias("cdn.example.net"),
        dns_message.address("192.0.2.7", "cdn.example.net"),
        Record(AAAA, bytes(16)),
        dns_message.service(80, "x.y"),
    ]
    found = dns_message.addresses(dns_message.reply(asked, records), "t")
    assert [(record.kind, record.name) for record in found] == [(A, "t"), (AAAA, "t")]


def test_a_broken_reply_is_refused() -> None:
    asked = dns_message.question(dns_message.query(1, "a.b", A))
    reply = dns_message.reply(asked, [dns_message.address("10.0.0.1")])
    with pytest.raises(ValueError, match="not a DNS reply"):
        dns_message.addresses(reply[:-12], "a.b")


def test_records_of_services_and_aliases() -> None:
    assert dns_message.service(443, "web.x") == Record(SRV, struct.pack("!HHH", 0, 100, 443) + b"\x03web\x01x\0")
    assert dns_message.alias("web.x.") == Record(CNAME, b"\x03web\x01x\0")
