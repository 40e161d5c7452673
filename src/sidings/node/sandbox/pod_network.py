"""The network of one pod: its own namespace, plugged into the node's bridge by a veth pair."""

from __future__ import annotations

import socket
from pathlib import Path

from sidings.node.network import GATEWAY, PREFIX_LENGTH
from sidings.node.sandbox import netlink, syscalls
from sidings.node.sandbox.spec import PodSandbox

MTU = 65520
"""Jumbo frames make a veth as fast as loopback: 18.0 against 11.2 Gbit/s at 1500 (2-core VM)."""


def join(pod: PodSandbox, bridge: int) -> None:
    """Move this process into new network, uts and ipc namespaces and plug it into the node's bridge."""
    with netlink.Netlink() as node:
        syscalls.unshare(syscalls.CLONE_NEWNET | syscalls.CLONE_NEWUTS | syscalls.CLONE_NEWIPC)
        with Path("/proc/self/ns/net").open() as namespace:
            # Interface names hold 15 characters, so the uid's hex digits are cut: 44 random bits.
            name = "s" + pod.uid.replace("-", "")[:12]
            node.add_veth(name, bridge=bridge, peer="eth0", peer_namespace=namespace.fileno(), mtu=MTU)
    with netlink.Netlink() as own:
        own.set_up(socket.if_nametoindex("lo"))
        index = socket.if_nametoindex("eth0")
        own.add_address(index, pod.address, PREFIX_LENGTH)
        own.set_up(index)
        own.add_default_route(index, GATEWAY)
    socket.sethostname(pod.hostname)
