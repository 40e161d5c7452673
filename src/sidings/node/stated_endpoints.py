"""Endpoints of Services without a selector: addresses that somebody wrote, of pods or outside. Pure.

As in kube-proxy, what counts are EndpointSlices: those by hand, and those that mirror Endpoints by hand. A port of the
Service leads to the slice's port of the same name and protocol, whatever its ``targetPort`` says. Slices of Services
with a selector say what ``backends`` knows already, and earlier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sidings.api import service_ports
from sidings.api.kinds.endpoint_slice import SERVICE_NAME
from sidings.api.objects import Object, labels_of, namespace_of
from sidings.node.network import GATEWAY
from sidings.node.sandbox.outside import is_reachable


class StatedEndpoints:
    """The EndpointSlices of one moment, by Service."""

    def __init__(self, slices: Iterable[Object], inside: Iterable[str]) -> None:
        """``inside``: addresses of pods; others count where a pod may reach them by itself, as it does the gateway."""
        self._inside = frozenset((*inside, GATEWAY))
        self._slices: dict[tuple[str, str], list[Object]] = {}
        for found in slices:
            if found.get("addressType") == "IPv4":
                service = labels_of(found).get(SERVICE_NAME, "")
                self._slices.setdefault((namespace_of(found), service), []).append(found)

    def addresses(self, service: Object) -> list[str]:
        """Those that are ready, each once: what a headless Service's name says."""
        found = (at for slice_ in self._of(service) for at in self._ready(service, slice_))
        return list(dict.fromkeys(found))

    def targets(self, service: Object, port: Mapping[str, object]) -> list[str]:
        """``address:port`` behind a port of the Service."""
        found = (
            f"{at}:{stated['port']}"
            for slice_ in self._of(service)
            for stated in slice_.get("ports") or ()
            if stated.get("port") and _same(stated, port)
            for at in self._ready(service, slice_)
        )
        return list(dict.fromkeys(found))

    def _of(self, service: Object) -> list[Object]:
        if service["spec"].get("selector"):
            return []
        return self._slices.get((namespace_of(service), service["metadata"]["name"]), [])

    def _ready(self, service: Object, slice_: Object) -> Iterator[str]:
        at_once = bool(service["spec"].get("publishNotReadyAddresses"))
        for endpoint in slice_.get("endpoints") or ():
            if at_once or (endpoint.get("conditions") or {}).get("ready") is not False:
                # The first address of an endpoint is the one that counts; more of them have no meaning upstream.
                address = endpoint["addresses"][0]
                if address in self._inside or is_reachable(address):
                    yield address


def _same(stated: Mapping[str, object], port: Mapping[str, object]) -> bool:
    names_alike = (stated.get("name") or "") == (port.get("name") or "")
    return names_alike and service_ports.protocol(stated) == service_ports.protocol(port)
