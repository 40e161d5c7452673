"""Which address a pod gets: 10.244.<node>.<pod>, out of the range of its logical node.

All pods of one agent sit on one bridge (10.244.0.1/16), so an address says which logical node a pod belongs to and
nothing about routing. An address is taken from the moment a pod is seen to be bound until its sandbox is gone.
"""

from __future__ import annotations

from collections.abc import Mapping

from sidings.node.errors import AddressesExhausted

GATEWAY = "10.244.0.1"
SERVICE_NETWORK, SERVICE_PREFIX_LENGTH = "10.96.0.0", 12
"""Where the API server takes the addresses of Services from."""
POD_NETWORK = "10.244.0.0"
API_SERVICE = "10.96.0.1"
"""The Service ``kubernetes``: the first address of the Services' range, as on a cluster."""
API_SERVICE_PORT = 443
API_PORT = 6443
"""Where the API server listens in the pods' network, at the gateway; kube-apiserver's own."""
S3_PORT = 9000
"""Where object storage is in the pods' network, at the gateway; MinIO's own."""
PREFIX_LENGTH = 16
INSIDE = ((POD_NETWORK, PREFIX_LENGTH), (SERVICE_NETWORK, SERVICE_PREFIX_LENGTH))
"""What pods reach without leaving the node's network."""
LOOPBACK = ("127.0.0.0", 8)
MAX_NODES = 255
_FIRST, _LAST = 2, 254


def pod_range(node_number: int) -> str:
    return f"10.244.{node_number}.0/24"


def node_address(node_number: int) -> str:
    return f"10.244.{node_number}.1"


def loopback(host: str, port: int) -> tuple[str, int]:
    """Where a port of a pod or Service is on a machine on which pods have no network of their own.

    Ports that only root may have lie higher. ``pod_view.c`` has the same rule.
    """
    return f"127.{host.removeprefix('10.')}", port if port >= 1024 or not port else port + 10000


class AddressPool:
    """The addresses of all logical nodes of one agent, by pod uid."""

    def __init__(self) -> None:
        self._of_pod: dict[str, str] = {}
        self._taken: set[str] = set()
        self._next: dict[int, int] = {}

    def claim(self, uid: str, address: str) -> None:
        """Record that the pod ``uid``, found alive, already uses ``address``."""
        self._of_pod[uid] = address
        self._taken.add(address)

    def allocate(self, uid: str, node_number: int, *, host_network: bool = False) -> str:
        """The address of the pod ``uid``: the one it has, else the next free one of its node.

        Pods with ``host_network`` share that of their node.

        Addresses are handed out round-robin, so that one just given back is not reused while peers may still send to
        it. Raises ``AddressesExhausted`` with all 253 of the node taken.
        """
        if uid in self._of_pod:
            return self._of_pod[uid]
        if host_network:
            self._of_pod[uid] = node_address(node_number)
            return self._of_pod[uid]
        start = self._next.get(node_number, _FIRST)
        size = _LAST - _FIRST + 1
        for offset in range(size):
            host = _FIRST + (start - _FIRST + offset) % size
            address = f"10.244.{node_number}.{host}"
            if address not in self._taken:
                self._next[node_number] = _FIRST + (host - _FIRST + 1) % size
                self.claim(uid, address)
                return address
        raise AddressesExhausted(
            f"node range {pod_range(node_number)} has no free address", cause=f"{size} pods use one each"
        )

    def known(self) -> Mapping[str, str]:
        """Pod uid -> address."""
        return self._of_pod

    def address_of(self, uid: str) -> str | None:
        return self._of_pod.get(uid)

    def release(self, uid: str) -> None:
        address = self._of_pod.pop(uid, None)
        if address is not None:
            self._taken.discard(address)
