"""Which names resolve to which pods: a pure function over Services and Pods.

Kubernetes' DNS specification (1.1.0): a headless Service has an address record for each pod it selects, and a pod with
``hostname`` and ``subdomain`` (the Service's name) has its own name below it. A pod counts when it is ready, or at
once where the Service says ``publishNotReadyAddresses``, as JobSet's do. A Service with a cluster address resolves to
that, which ``sandbox.service_proxy`` serves; one with ports that are not TCP resolves to its pods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sidings.api import conditions
from sidings.api.objects import Object, labels_of, name_of, namespace_of, uid_of
from sidings.node.sandbox.name_server import Table

DOMAIN = "cluster.local"


def table(services: Iterable[Object], pods: Iterable[Object], addresses: Mapping[str, str]) -> Table:
    """The names of all ``pods`` that have an address (pod uid -> address)."""
    names: dict[str, list[str]] = {}
    reverse: dict[str, str] = {}
    zones: set[str] = set()
    by_namespace: dict[str, list[Object]] = {}
    for pod in pods:
        by_namespace.setdefault(namespace_of(pod), []).append(pod)
    for service in services:
        selector = service["spec"].get("selector")
        if not selector:
            continue
        zone = service_name(service)
        zones.add(zone)
        if carried := has_cluster_address(service):
            names[zone] = [service["spec"]["clusterIP"]]
        at_once = bool(service["spec"].get("publishNotReadyAddresses"))
        for pod in by_namespace.get(namespace_of(service), ()):
            address = addresses.get(uid_of(pod))
            if address is None or not selects(selector, pod) or not (at_once or conditions.is_true(pod, "Ready")):
                continue
            if not carried:
                names.setdefault(zone, []).append(address)
            own = pod["spec"].get("hostname")
            if own and pod["spec"].get("subdomain") == name_of(service):
                name = f"{own}.{zone}".lower()
                # Two live copies of one index (a force-deleted pod and its successor): the younger one is meant.
                names[name] = [address]
                reverse[address] = name
    return Table(names, reverse, frozenset(zones))


def service_name(service: Object) -> str:
    return f"{name_of(service)}.{namespace_of(service)}.svc.{DOMAIN}"


def has_cluster_address(service: Object) -> bool:
    """Whether connections to its own address are carried to its pods: TCP ports, a selector, and not headless."""
    spec = service["spec"]
    ports = spec.get("ports") or ()
    return bool(
        spec.get("selector")
        and spec.get("clusterIP", "None") not in ("None", "")
        and ports
        and all(port.get("protocol", "TCP") == "TCP" for port in ports)
    )


def selects(selector: Mapping[str, str], pod: Object) -> bool:
    labels = labels_of(pod)
    return all(labels.get(key) == value for key, value in selector.items())


def host_name(pod: Object) -> str:
    """What the pod calls itself: ``spec.hostname``, else its name, cut to what the kernel and DNS allow."""
    return str(pod["spec"].get("hostname") or name_of(pod)[:63].rstrip("-."))


def full_name(pod: Object) -> str:
    """``host.subdomain.ns.svc.cluster.local``; without a subdomain just the host name."""
    subdomain = pod["spec"].get("subdomain")
    host = host_name(pod)
    return f"{host}.{subdomain}.{namespace_of(pod)}.svc.{DOMAIN}" if subdomain else host
