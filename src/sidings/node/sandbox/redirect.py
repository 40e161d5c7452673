"""Catching what pods send outside: one nf_tables table in the node's network namespace, made without ``nft``.

TCP connections that leave the pods' and Services' ranges go to one listener, which learns from ``original_destination``
where they were meant for; questions to any name server go to the pods' own. The batch below is what
``nft`` would send for::

    table ip sidings {
        chain prerouting { type nat hook prerouting priority dstnat; ... }
        chain output { type nat hook output priority dstnat; ... }
    }

with ``ip daddr <range> accept`` for what stays inside, ``meta l4proto tcp dnat to <gateway>:<port>``, and
``udp dport 53 dnat to <gateway>:53``. ``output`` is for what starts in the node's own network: pods with
``hostNetwork``, and connections of Services whose endpoints are outside. What is left there is dropped, and its sender
hears of it.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable, Iterator

from sidings.node.sandbox.netlink import attribute

Range = tuple[str, int]
"""Network and prefix length."""

_NETLINK_NETFILTER = 12
_REQUEST, _ACK, _EXCL, _CREATE, _APPEND = 0x1, 0x4, 0x200, 0x400, 0x800
_NLMSG_ERROR = 2
_BATCH_BEGIN, _BATCH_END, _NFTABLES = 0x10, 0x11, 10
_NEWTABLE, _NEWCHAIN, _NEWRULE = 0, 3, 6
_NESTED = 0x8000

_NAME, _CHAIN_TABLE, _CHAIN_NAME, _CHAIN_HOOK, _CHAIN_TYPE = 1, 1, 3, 4, 7
_HOOK_NUMBER, _HOOK_PRIORITY = 1, 2
_RULE_TABLE, _RULE_CHAIN, _RULE_EXPRESSIONS, _ELEMENT, _EXPRESSION_DATA = 1, 2, 4, 1, 2
_DATA_VALUE, _DATA_VERDICT, _VERDICT_CODE = 1, 2, 1
_VERDICT_REGISTER, _REGISTER, _SECOND_REGISTER = 0, 1, 2
_NETWORK_HEADER, _TRANSPORT_HEADER = 1, 2
_META_L4PROTO = 16
_DROP, _ACCEPT, _DNAT = 0, 1, 1
_PREROUTING, _OUTPUT, _DESTINATION_NAT = 0, 3, -100
_DADDR_OFFSET, _DPORT_OFFSET = 16, 2

_TABLE = b"sidings\0"
_DNS_PORT = 53
_SO_ORIGINAL_DST = 80


def install(inside: Iterable[Range], gateway: str, port: int) -> None:
    """Redirect what leaves the ranges ``inside``: TCP to ``port`` of ``gateway``, which is this machine, DNS to its 53.

    For the current network namespace, of which the caller has to be root. Raises ``OSError`` where the kernel has no
    nf_tables or does not let us use it; nothing is changed then.
    """
    messages = [(_NEWTABLE, _CREATE | _EXCL, attribute(_NAME, _TABLE))]
    ranges = list(inside)
    for name, hook in ((b"prerouting\0", _PREROUTING), (b"output\0", _OUTPUT)):
        hooked = _number(_HOOK_NUMBER, hook) + attribute(_HOOK_PRIORITY, struct.pack("!i", _DESTINATION_NAT))
        chain = attribute(_CHAIN_TABLE, _TABLE) + attribute(_CHAIN_NAME, name)
        chain += _nested(_CHAIN_HOOK, hooked) + attribute(_CHAIN_TYPE, b"nat\0")
        messages.append((_NEWCHAIN, _CREATE | _EXCL, chain))
        rules = [*_rules(ranges, gateway, port), *([_verdict(_DROP)] if hook == _OUTPUT else [])]
        for expressions in rules:
            rule = attribute(_RULE_TABLE, _TABLE) + attribute(_RULE_CHAIN, name)
            messages.append((_NEWRULE, _CREATE | _APPEND, rule + _nested(_RULE_EXPRESSIONS, expressions)))
    _commit(messages)


def original_destination(connection: socket.socket) -> tuple[str, int]:
    """Where a redirected connection was meant for. Raises ``OSError`` for one that was not redirected."""
    packed = connection.getsockopt(socket.IPPROTO_IP, _SO_ORIGINAL_DST, 16)
    (port,) = struct.unpack_from("!H", packed, 2)
    return socket.inet_ntoa(packed[4:8]), port


def _rules(inside: Iterable[Range], gateway: str, port: int) -> Iterator[bytes]:
    for network, prefix_length in inside:
        mask = struct.pack("!I", 0xFFFFFFFF << (32 - prefix_length) & 0xFFFFFFFF)
        yield b"".join(
            (
                _payload(_NETWORK_HEADER, _DADDR_OFFSET, 4),
                _masked(mask),
                _equals(socket.inet_aton(network)),
                _verdict(_ACCEPT),
            )
        )
    yield _protocol(socket.IPPROTO_TCP) + _lead_to(gateway, port)
    asked = _payload(_TRANSPORT_HEADER, _DPORT_OFFSET, 2) + _equals(struct.pack("!H", _DNS_PORT))
    yield _protocol(socket.IPPROTO_UDP) + asked + _lead_to(gateway, _DNS_PORT)


# Expressions of a rule. Numbers inside are big-endian, unlike those of rtnetlink.


def _payload(header: int, offset: int, length: int) -> bytes:
    return _expression(b"payload", _numbers((1, _REGISTER), (2, header), (3, offset), (4, length)))


def _masked(mask: bytes) -> bytes:
    numbers = _numbers((1, _REGISTER), (2, _REGISTER), (3, len(mask)))
    zero = _nested(5, attribute(_DATA_VALUE, bytes(len(mask))))
    return _expression(b"bitwise", numbers + _nested(4, attribute(_DATA_VALUE, mask)) + zero)


def _equals(value: bytes) -> bytes:
    return _expression(b"cmp", _numbers((1, _REGISTER), (2, 0)) + _nested(3, attribute(_DATA_VALUE, value)))


def _protocol(number: int) -> bytes:
    """Match the transport protocol."""
    return _expression(b"meta", _numbers((1, _REGISTER), (2, _META_L4PROTO))) + _equals(bytes((number,)))


def _lead_to(gateway: str, port: int) -> bytes:
    """To the gateway by name: what ``redirect`` catches in ``output`` would go to 127.0.0.1."""
    loaded = b""
    for register, value in ((_REGISTER, socket.inet_aton(gateway)), (_SECOND_REGISTER, struct.pack("!H", port))):
        data = _nested(2, attribute(_DATA_VALUE, value))
        loaded += _expression(b"immediate", _number(1, register) + data)
    return loaded + _expression(
        b"nat", _numbers((1, _DNAT), (2, socket.AF_INET), (3, _REGISTER), (5, _SECOND_REGISTER))
    )


def _verdict(code: int) -> bytes:
    data = _nested(2, _nested(_DATA_VERDICT, _number(_VERDICT_CODE, code)))
    return _expression(b"immediate", _number(1, _VERDICT_REGISTER) + data)


def _expression(name: bytes, data: bytes) -> bytes:
    return _nested(_ELEMENT, attribute(_NAME, name + b"\0") + _nested(_EXPRESSION_DATA, data))


def _number(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("!I", value))


def _numbers(*pairs: tuple[int, int]) -> bytes:
    return b"".join(_number(kind, value) for kind, value in pairs)


def _nested(kind: int, content: bytes) -> bytes:
    return attribute(kind | _NESTED, content)


def _commit(messages: list[tuple[int, int, bytes]]) -> None:
    """Send ``messages`` (type, flags, attributes) as one transaction and wait for what the kernel says to each."""
    batch = [_message(_BATCH_BEGIN, 0, 0, b"", family=socket.AF_UNSPEC, resource=_NFTABLES)]
    for sequence, (kind, flags, body) in enumerate(messages, 1):
        batch.append(_message(_NFTABLES << 8 | kind, flags | _ACK, sequence, body))
    batch.append(_message(_BATCH_END, 0, len(messages) + 1, b"", family=socket.AF_UNSPEC, resource=_NFTABLES))
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_NETFILTER) as kernel:
        kernel.bind((0, 0))
        kernel.send(b"".join(batch))
        waiting = set(range(1, len(messages) + 1))
        while waiting:
            answer = kernel.recv(65536)
            position = 0
            while position < len(answer):
                length, kind, _, sequence, _ = struct.unpack_from("=IHHII", answer, position)
                if kind == _NLMSG_ERROR:
                    (code,) = struct.unpack_from("=i", answer, position + 16)
                    if code:
                        raise OSError(-code, os.strerror(-code), "nf_tables")
                    waiting.discard(sequence)
                position += (length + 3) & ~3


def _message(
    kind: int, flags: int, sequence: int, body: bytes, family: int = socket.AF_INET, resource: int = 0
) -> bytes:
    header = struct.pack("=IHHII", 20 + len(body), kind, _REQUEST | flags, sequence, 0)
    return header + struct.pack("!BBH", family, 0, resource) + body
