"""The few rtnetlink requests that a bridge with one veth per pod needs.

A socket stays in the network namespace in which it was made, whatever namespace its process moves to; so a shim talks
to the node's namespace and to its pod's at the same time.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Iterable
from types import TracebackType

_NEWLINK, _SETLINK, _GETLINK = 16, 19, 18
_NEWADDR, _NEWROUTE, _NEWRULE = 20, 24, 32
_REQUEST, _ACK, _EXCL, _CREATE = 0x1, 0x4, 0x200, 0x400
_NLMSG_ERROR = 2

_IFLA_ADDRESS, _IFLA_MTU, _IFLA_NAME, _IFLA_MASTER, _IFLA_LINKINFO, _IFLA_NET_NS_FD = 1, 4, 3, 10, 18, 28
_IFLA_INFO_KIND, _IFLA_INFO_DATA, _VETH_INFO_PEER = 1, 2, 1
_IFA_ADDRESS, _IFA_LOCAL = 1, 2
_RTA_DST, _RTA_GATEWAY, _RTA_OIF = 1, 5, 4
_RT_TABLE_MAIN, _RTPROT_BOOT, _RT_SCOPE_UNIVERSE, _RTN_UNICAST = 254, 3, 0, 1
_RT_TABLE_LOCAL, _RT_SCOPE_HOST, _RTN_LOCAL, _RTN_PROHIBIT = 255, 254, 2, 8
_RT_TABLE_DEFAULT, _RT_SCOPE_LINK = 253, 253
_FRA_IIFNAME, _FRA_PRIORITY, _FR_ACT_TO_TBL = 3, 6, 1
_TABLE_OF_OWN = 100
_AFTER_MAIN = 32766
"""The priority of the rule for the table main: a rule with the same is looked at after it, and before ``default``."""
_IFF_UP = 1

BRIDGE_ADDRESS = bytes.fromhex("0253494e4701")
"""Locally administered; every node has its bridge in a network namespace of its own, so one is enough for all.

A bridge without an address of its own takes the lowest of its ports' and changes it as pods come and go. Pods that
know the old one then reach the name server only after their kernel gave it up: ten seconds a look-up, in which a
resolver says "temporary failure".
"""


def attribute(kind: int, value: bytes) -> bytes:
    length = 4 + len(value)
    return struct.pack("=HH", length, kind) + value + b"\0" * (-length % 4)


def _text(kind: int, value: str) -> bytes:
    return attribute(kind, value.encode() + b"\0")


def _number(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack("=I", value))


def _link(index: int = 0, flags: int = 0) -> bytes:
    return struct.pack("=BxHiII", socket.AF_UNSPEC, 0, index, flags, flags)


class Netlink:
    """One rtnetlink socket of the current network namespace."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, 0)
        self._socket.bind((0, 0))
        self._sequence = 0

    def __enter__(self) -> Netlink:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def add_bridge(self, name: str) -> None:
        info = attribute(_IFLA_LINKINFO, _text(_IFLA_INFO_KIND, "bridge"))
        body = [_link(), _text(_IFLA_NAME, name), attribute(_IFLA_ADDRESS, BRIDGE_ADDRESS), info]
        self._ask(_NEWLINK, _CREATE | _EXCL, body, f"bridge {name}")

    def add_veth(self, name: str, *, bridge: int, peer: str, peer_namespace: int, mtu: int) -> None:
        """A pair: ``name`` here, up and attached to the bridge (an interface index); ``peer`` in the other namespace.

        Both ends get ``mtu`` at birth, and the peer is born in its namespace, so nothing needs to be moved.
        """
        other = _link() + _text(_IFLA_NAME, peer) + _number(_IFLA_MTU, mtu)
        other += _number(_IFLA_NET_NS_FD, peer_namespace)
        data = attribute(_IFLA_INFO_DATA, attribute(_VETH_INFO_PEER, other))
        info = attribute(_IFLA_LINKINFO, _text(_IFLA_INFO_KIND, "veth") + data)
        body = [
            _link(flags=_IFF_UP),
            _text(_IFLA_NAME, name),
            _number(_IFLA_MTU, mtu),
            _number(_IFLA_MASTER, bridge),
            info,
        ]
        self._ask(_NEWLINK, _CREATE | _EXCL, body, f"veth {name}")

    def set_up(self, index: int) -> None:
        self._ask(_NEWLINK, 0, [_link(index, _IFF_UP)], f"interface {index} up")

    def add_address(self, index: int, address: str, prefix_length: int) -> None:
        packed = socket.inet_aton(address)
        header = struct.pack("=BBBBi", socket.AF_INET, prefix_length, 0, 0, index)
        body = [header, attribute(_IFA_LOCAL, packed), attribute(_IFA_ADDRESS, packed)]
        self._ask(_NEWADDR, _CREATE | _EXCL, body, f"address {address}")

    def add_default_route(self, index: int, gateway: str) -> None:
        header = struct.pack(
            "=BBBBBBBBI",
            *(socket.AF_INET, 0, 0, 0, _RT_TABLE_MAIN, _RTPROT_BOOT, _RT_SCOPE_UNIVERSE, _RTN_UNICAST, 0),
        )
        body = [header, attribute(_RTA_GATEWAY, socket.inet_aton(gateway)), _number(_RTA_OIF, index)]
        self._ask(_NEWROUTE, _CREATE | _EXCL, body, f"route via {gateway}")

    def refuse_the_rest(self) -> None:
        """Answer what no other route is for with "filtered", instead of nothing, where we forward at all.

        A UDP socket hears of that at once, while it takes "unreachable" for something that passes. The table is the
        last that the kernel looks into.
        """
        header = struct.pack(
            "=BBBBBBBBI",
            *(socket.AF_INET, 0, 0, 0, _RT_TABLE_DEFAULT, _RTPROT_BOOT, _RT_SCOPE_UNIVERSE, _RTN_PROHIBIT, 0),
        )
        self._ask(_NEWROUTE, _CREATE | _EXCL, [header], "prohibited default route")

    def route_own(self, index: int) -> None:
        """Give what processes of this namespace send elsewhere a route over the loopback interface ``index``.

        Without a route a connection fails before ``redirect`` gets to see it. What is forwarded has none of it. Raises
        ``OSError`` where the kernel has no routing by rules.
        """
        table = struct.pack("=BBBBBBBBI", *(socket.AF_INET, 0, 0, 0, _TABLE_OF_OWN, 0, 0, _FR_ACT_TO_TBL, 0))
        rule = [table, _text(_FRA_IIFNAME, "lo"), _number(_FRA_PRIORITY, _AFTER_MAIN)]
        self._ask(_NEWRULE, _CREATE | _EXCL, rule, "rule for what starts here")
        header = struct.pack(
            "=BBBBBBBBI",
            *(socket.AF_INET, 0, 0, 0, _TABLE_OF_OWN, _RTPROT_BOOT, _RT_SCOPE_LINK, _RTN_UNICAST, 0),
        )
        self._ask(_NEWROUTE, _CREATE | _EXCL, [header, _number(_RTA_OIF, index)], "route for what starts here")

    def add_local_range(self, index: int, network: str, prefix_length: int) -> None:
        """Take every address of ``network`` for our own, on interface ``index``: anybody may listen on any of them."""
        header = struct.pack(
            "=BBBBBBBBI",
            *(socket.AF_INET, prefix_length, 0, 0, _RT_TABLE_LOCAL, _RTPROT_BOOT, _RT_SCOPE_HOST, _RTN_LOCAL, 0),
        )
        body = [header, attribute(_RTA_DST, socket.inet_aton(network)), _number(_RTA_OIF, index)]
        self._ask(_NEWROUTE, _CREATE | _EXCL, body, f"local route {network}")

    def _ask(self, kind: int, flags: int, parts: Iterable[bytes], what: str) -> None:
        """Send one request and wait for its acknowledgement."""
        self._sequence += 1
        body = b"".join(parts)
        header = struct.pack("=IHHII", 16 + len(body), kind, _REQUEST | _ACK | flags, self._sequence, 0)
        self._socket.send(header + body)
        while True:
            answer = self._socket.recv(65536)
            _, kind_, _, sequence, _ = struct.unpack_from("=IHHII", answer)
            if kind_ == _NLMSG_ERROR and sequence == self._sequence:
                (code,) = struct.unpack_from("=i", answer, 16)
                if code:
                    raise OSError(-code, os.strerror(-code), what)
                return
