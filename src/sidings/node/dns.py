"""Which names resolve to what: a pure function over Services and Pods.

Kubernetes' DNS specification (1.1.0) as CoreDNS carries it out: a Service has an address record for its own address or,
headless, for each pod behind it; a pod with ``hostname`` and ``subdomain`` (the Service's name) has its own name below
a headless Service, other pods one made of their address; named ports have SRV records; ``ExternalName`` is an alias.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sidings.api import service_ports
from sidings.api.objects import Object, name_of, namespace_of
from sidings.node import backends
from sidings.node.backends import Backends
from sidings.node.sandbox.name_server import Table
from sidings.node.stated_endpoints import StatedEndpoints

DOMAIN = "cluster.local"


def table(
    services: Iterable[Object], pods: Iterable[Object], addresses: Mapping[str, str], slices: Iterable[Object] = ()
) -> Table:
    """The names of all Services, and of ``pods`` that have an address (pod uid -> address).

    ``slices``: the EndpointSlices by which Services without a selector go.
    """
    made = _Names(Backends(pods, addresses), StatedEndpoints(slices, addresses.values()))
    for service in services:
        made.add(service)
    return Table(made.names, made.reverse, frozenset(made.zones), made.aliases, made.ports)


class _Names:
    """The parts of a ``Table`` while it is made."""

    def __init__(self, found: Backends, stated: StatedEndpoints) -> None:
        self._backends = found
        self._stated = stated
        self.names: dict[str, list[str]] = {}
        self.reverse: dict[str, str] = {}
        self.zones: set[str] = set()
        self.aliases: dict[str, str] = {}
        self.ports: dict[str, list[tuple[int, str]]] = {}

    def add(self, service: Object) -> None:
        zone = service_name(service)
        if service["spec"].get("type") == "ExternalName":
            self.aliases[zone] = str(service["spec"].get("externalName") or "").rstrip(".").lower()
            return
        address = backends.cluster_address(service)
        if address:
            self.names[zone] = [address]
            self.reverse[address] = zone
            self._name_ports(service, [(zone, None)])
        if service["spec"].get("selector"):
            self.zones.add(zone)
            self._add_pods(service, zone, headless=not address)
        elif not address and (found := self._stated.addresses(service)):
            self.names[zone] = found

    def _add_pods(self, service: Object, zone: str, *, headless: bool) -> None:
        owners: list[tuple[str, Object | None]] = []
        for pod, address in self._backends.of(service):
            own = pod["spec"].get("hostname")
            if own and pod["spec"].get("subdomain") == name_of(service):
                name = f"{own}.{zone}".lower()
                # Two live copies of one index (a force-deleted pod and its successor): the younger one is meant.
                self.names[name] = [address]
                self.reverse[address] = name
            elif headless:
                name = f"{address.replace('.', '-')}.{zone}"
                self.names[name] = [address]
            if headless:
                self.names.setdefault(zone, []).append(address)
                owners.append((name, pod))
        if headless:
            self._name_ports(service, owners)

    def _name_ports(self, service: Object, owners: Iterable[tuple[str, Object | None]]) -> None:
        """SRV records: the Service's own number at its own address, that of each pod at a headless one's."""
        for port in service["spec"].get("ports") or ():
            if not port.get("name"):
                continue
            name = f"_{port['name']}._{service_ports.protocol(port)}.{service_name(service)}".lower()
            for owner, pod in owners:
                number = int(port["port"]) if pod is None else service_ports.target_port(port, pod)
                if number is not None:
                    self.ports.setdefault(name, []).append((number, owner))


def service_name(service: Object) -> str:
    return f"{name_of(service)}.{namespace_of(service)}.svc.{DOMAIN}"


def host_name(pod: Object) -> str:
    """What the pod calls itself: ``spec.hostname``, else its name, cut to what the kernel and DNS allow.

    In the node's network it is called as the node is.
    """
    if pod["spec"].get("hostNetwork"):
        return str(pod["spec"]["nodeName"])
    return str(pod["spec"].get("hostname") or name_of(pod)[:63].rstrip("-."))


def full_name(pod: Object) -> str:
    """``host.subdomain.ns.svc.cluster.local``; without a subdomain just the host name."""
    subdomain = pod["spec"].get("subdomain")
    host = host_name(pod)
    return f"{host}.{subdomain}.{namespace_of(pod)}.svc.{DOMAIN}" if subdomain else host
