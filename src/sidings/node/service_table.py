"""Where the cluster address of a Service leads: a pure function over Services and Pods, and its file for the proxy.

As kube-proxy: ready pods, or all with an address where the Service says ``publishNotReadyAddresses``; a named target
port is looked up in each pod. TCP only: a Service with another protocol has its pods' addresses in DNS instead.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sidings.api import conditions
from sidings.api.objects import Object, namespace_of, uid_of
from sidings.node import dns
from sidings.node.network import AddressPool
from sidings.node.sandbox.service_proxy import Table

log = logging.getLogger(__name__)


def table(services: Iterable[Object], pods: Iterable[Object], addresses: Mapping[str, str]) -> Table:
    """``address:port`` of every Service's ports -> those of its pods (pod uid -> address in ``addresses``)."""
    made: Table = {}
    carried = [service for service in services if dns.has_cluster_address(service)]
    if not carried:
        return made
    by_namespace: dict[str, list[Object]] = {}
    for pod in pods:
        by_namespace.setdefault(namespace_of(pod), []).append(pod)
    for service in carried:
        at_once = bool(service["spec"].get("publishNotReadyAddresses"))
        chosen = [
            (pod, addresses[uid_of(pod)])
            for pod in by_namespace.get(namespace_of(service), ())
            if uid_of(pod) in addresses
            and dns.selects(service["spec"]["selector"], pod)
            and (at_once or conditions.is_true(pod, "Ready"))
        ]
        for port in service["spec"]["ports"]:
            found = ((address, _target(port, pod)) for pod, address in chosen)
            made[f"{service['spec']['clusterIP']}:{port['port']}"] = [
                f"{address}:{number}" for address, number in found if number is not None
            ]
    return made


def _target(port: Mapping[str, Any], pod: Object) -> int | None:
    """The number of ``targetPort`` in ``pod``; None for a name that none of its containers has."""
    target = port.get("targetPort") or port["port"]
    if isinstance(target, int):
        return target
    for container in pod["spec"]["containers"]:
        for stated in container.get("ports") or ():
            if stated.get("name") == target:
                return int(stated["containerPort"])
    return None


class ServiceTable:
    """``services.json`` of one agent, written only when it changed."""

    def __init__(self, path: Path, addresses: AddressPool) -> None:
        self._path = path
        self._addresses = addresses
        self._written: Table | None = None

    def refresh(self, services: Iterable[Object], pods: Iterable[Object]) -> None:
        wanted = table(services, pods, self._addresses.known())
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
