"""Which pods are behind a Service, as the node sees it: pure, for its names and for its addresses alike.

As kube-proxy and CoreDNS: a pod counts with an address and when it is ready, or at once where the Service says
``publishNotReadyAddresses``, as JobSet's do. The addresses are the node's own, which knows them before any status does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sidings.api import conditions, service_ports
from sidings.api.objects import Object, labels_of, namespace_of, uid_of

HEADLESS = ("None", "")
CARRIED = ("TCP", "UDP")
"""Protocols that ``sandbox.service_proxy`` speaks."""


class Backends:
    """The pods of one moment; ``addresses`` are by pod uid."""

    def __init__(self, pods: Iterable[Object], addresses: Mapping[str, str]) -> None:
        self._by_namespace: dict[str, list[tuple[Object, str]]] = {}
        for pod in pods:
            if (address := addresses.get(uid_of(pod))) is not None:
                self._by_namespace.setdefault(namespace_of(pod), []).append((pod, address))

    def of(self, service: Object) -> Iterator[tuple[Object, str]]:
        """Each pod behind ``service`` with its address; none for a Service without a selector."""
        selector = service["spec"].get("selector")
        if not selector:
            return
        at_once = bool(service["spec"].get("publishNotReadyAddresses"))
        for pod, address in self._by_namespace.get(namespace_of(service), ()):
            if _selects(selector, pod) and (at_once or conditions.is_true(pod, "Ready")):
                yield pod, address


def cluster_address(service: Object) -> str:
    """The address of its own by which ``service`` is reached; "" for headless ones, and where it cannot be carried."""
    spec = service["spec"]
    address = spec.get("clusterIP", "None")
    if address in HEADLESS or any(service_ports.protocol(port) not in CARRIED for port in spec.get("ports") or ()):
        return ""
    return str(address)


def _selects(selector: Mapping[str, str], pod: Object) -> bool:
    labels = labels_of(pod)
    return all(labels.get(key) == value for key, value in selector.items())
