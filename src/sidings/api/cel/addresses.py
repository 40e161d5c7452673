"""IP addresses and networks: ``cidr('10.0.0.0/8').containsIP(self.address)``.

As ``k8s.io/apiserver/pkg/cel/library/ip.go`` and ``cidr.go`` (v1.36).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from sidings.api.cel.conversions import conversion, method_of, question
from sidings.api.cel.errors import EvaluationError

_ADDRESSES = (IPv4Address, IPv6Address)
_LINK_LOCAL_MULTICAST = {4: ip_network("224.0.0.0/24"), 6: ip_network("ff02::/16")}
_BROADCAST = IPv4Address("255.255.255.255")


@dataclass(frozen=True)
class Cidr:
    """``10.1.2.3/8``: an address and the network that it is in."""

    address: IPv4Address | IPv6Address
    network: IPv4Network | IPv6Network

    def __str__(self) -> str:
        return f"{self.address}/{self.network.prefixlen}"

    def masked(self) -> Cidr:
        return Cidr(self.network.network_address, self.network)


def _cidr(value: str) -> Cidr:
    address, slash, _ = value.partition("/")
    if not slash:
        raise ValueError("not a network")
    return Cidr(ip_address(address), ip_network(value, strict=False))


_read_address, _read_cidr = conversion("IP", ip_address), conversion("CIDR", _cidr)


def _address(value: Any) -> Any:
    return value.address if isinstance(value, Cidr) else _read_address(value)


def _holds_network(outer: Cidr, other: Any) -> bool:
    inner = _read_cidr(other) if isinstance(other, str) else other
    if not isinstance(inner, Cidr):
        raise EvaluationError("no such overload")
    mine, others = outer.network, inner.network
    return others.network_address in mine and mine.prefixlen <= others.prefixlen


def _holds_address(outer: Cidr, other: Any) -> bool:
    given = _read_address(other) if isinstance(other, str) else other
    if not isinstance(given, _ADDRESSES):
        raise EvaluationError("no such overload")
    return given in outer.network


def _is_global_unicast(value: Any) -> bool:
    """Go's meaning: private addresses count."""
    is_special = value.is_unspecified or value.is_loopback or value.is_multicast or value.is_link_local
    return not is_special and value != _BROADCAST


def _is_canonical(value: str) -> bool:
    return str(ip_address(value)) == value


FUNCTIONS: dict[tuple[str, int], Callable[..., Any]] = {
    ("ip", 1): _address,
    ("isIP", 1): question(ip_address),
    ("ip.isCanonical", 1): conversion("IP", _is_canonical),
    ("family", 1): method_of(_ADDRESSES, lambda value: value.version),
    ("isUnspecified", 1): method_of(_ADDRESSES, lambda value: value.is_unspecified),
    ("isLoopback", 1): method_of(_ADDRESSES, lambda value: value.is_loopback),
    ("isLinkLocalMulticast", 1): method_of(_ADDRESSES, lambda value: value in _LINK_LOCAL_MULTICAST[value.version]),
    ("isLinkLocalUnicast", 1): method_of(_ADDRESSES, lambda value: value.is_link_local),
    ("isGlobalUnicast", 1): method_of(_ADDRESSES, _is_global_unicast),
    ("cidr", 1): _read_cidr,
    ("isCIDR", 1): question(_cidr),
    ("containsIP", 2): method_of(Cidr, _holds_address),
    ("containsCIDR", 2): method_of(Cidr, _holds_network),
    ("masked", 1): method_of(Cidr, Cidr.masked),
    ("prefixLength", 1): method_of(Cidr, lambda value: value.network.prefixlen),
}
