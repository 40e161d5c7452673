"""Where the addresses of Services lead: a pure function over Services and Pods, and its file for the proxy.

Beside the cluster address these are node ports and host ports, at the address of every node: from the machine itself
they are reached through ``node_ports``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sidings.api import service_ports
from sidings.api.kinds.service import AFFINITY_SECONDS
from sidings.api.objects import Object, uid_of
from sidings.node import backends
from sidings.node.backends import Backends
from sidings.node.network import API_SERVICE, AddressPool
from sidings.node.sandbox.service_proxy import Entry, Table, entry_name
from sidings.node.stated_endpoints import StatedEndpoints

log = logging.getLogger(__name__)


def table(
    services: Iterable[Object],
    pods: Sequence[Object],
    addresses: Mapping[str, str],
    nodes: Mapping[str, str] | None = None,
    slices: Iterable[Object] = (),
) -> Table:
    """Every port of every Service -> those of its pods (pod uid -> address in ``addresses``).

    ``slices``: the EndpointSlices by which Services without a selector go.
    ``nodes``: node name -> address, at which node ports and the pods' host ports are served.
    """
    made: Table = {}
    found = Backends(pods, addresses)
    stated = StatedEndpoints(slices, addresses.values())
    nodes = nodes or {}
    for service in services:
        address = backends.cluster_address(service)
        if not address or address == API_SERVICE:
            continue  # the way to the API server is the node's own (``sandbox.outside``)
        behind = list(found.of(service))
        seconds = _affinity_seconds(service)
        for port in service["spec"].get("ports") or ():
            targets = [(pod, service_ports.target_port(port, pod), at) for pod, at in behind]
            here = [f"{at}:{number}" for _, number, at in targets if number is not None]
            entry = Entry([*here, *stated.targets(service, port)], seconds)
            protocol = service_ports.protocol(port)
            made[entry_name(protocol, address, port["port"])] = entry
            if number := port.get("nodePort"):
                made |= {entry_name(protocol, node, number): entry for node in nodes.values()}
    for pod in pods:
        if (at := addresses.get(uid_of(pod))) and (node := nodes.get(pod["spec"].get("nodeName") or "")):
            for protocol, number, target in host_ports(pod):
                made[entry_name(protocol, node, number)] = Entry([f"{at}:{target}"])
    return made


def host_ports(pod: Object) -> list[tuple[str, int, int]]:
    """Those of ``pod`` that have to be carried; none in the node's network, where it listens on them itself."""
    if pod["spec"].get("hostNetwork"):
        return []
    return [port for port in service_ports.host_ports(pod) if port[0] in backends.CARRIED]


def _affinity_seconds(service: Object) -> int:
    """How long a client keeps its pod after its last connection; 0: it has none of its own."""
    if service["spec"].get("sessionAffinity") != "ClientIP":
        return 0
    config = (service["spec"].get("sessionAffinityConfig") or {}).get("clientIP") or {}
    return int(config.get("timeoutSeconds") or AFFINITY_SECONDS)


class ServiceTable:
    """``services.json`` of one agent, written only when it changed."""

    def __init__(self, path: Path, addresses: AddressPool, nodes: Mapping[str, str]) -> None:
        self._path = path
        self._addresses = addresses
        self._nodes = nodes
        self._written: Table | None = None

    def refresh(self, services: Iterable[Object], pods: Sequence[Object], slices: Iterable[Object] = ()) -> None:
        wanted = table(services, pods, self._addresses.known(), self._nodes, slices)
        if wanted == self._written:
            return
        fresh = self._path.with_suffix(".new")
        try:
            fresh.write_text(json.dumps(wanted))
            fresh.replace(self._path)
        except OSError as error:
            log.warning("Services lead where they led before: %s", error)  # the next change of any pod tries again
        else:
            self._written = wanted
