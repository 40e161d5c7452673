"""Addresses and node ports of Services: each is given to one Service at a time.

Upstream keeps allocation maps beside the Services; here the Services themselves are the map, which is read only for
those that need an entry: headless ones, such as JobSet's, do not. Messages are those of kube-apiserver v1.36.
"""

from __future__ import annotations

import hashlib
import ipaddress
import itertools
from collections.abc import Iterable, Iterator

from sidings.api import fields
from sidings.api.fields import FieldError, invalid
from sidings.api.kinds.service import HEADLESS, SERVICE_NETWORK, cluster_ip, is_address
from sidings.api.objects import Object, uid_of
from sidings.api.resources import SERVICES
from sidings.registry.admission.plugin import Operation, Plugin, Reader, Request

NODE_PORTS = range(30000, 32768)
"""kube-apiserver's default of ``--service-node-port-range``."""
WITH_NODE_PORTS = ("NodePort", "LoadBalancer")


class ServiceAddresses(Plugin):
    def admit(self, request: Request, reader: Reader) -> None:
        if not request.concerns(SERVICES, Operation.CREATE, Operation.UPDATE):
            return
        service = request.new
        spec = service["spec"]
        others = _Others(reader, uid_of(service))
        errors: list[FieldError] = []
        if request.old is None or request.old["spec"].get("type") == "ExternalName":
            errors += _assign_address(service, others)
        if spec.get("type") in WITH_NODE_PORTS and spec.get("allocateLoadBalancerNodePorts", True):
            errors += _assign_ports(service, request.old, others)
        if errors:
            raise fields.to_invalid(SERVICES.group, SERVICES.kind, request.name, errors)


class _Others:
    """What other Services have; read when it is first asked for."""

    def __init__(self, reader: Reader, uid: str) -> None:
        self._reader = reader
        self._uid = uid

    def addresses(self) -> set[str]:
        return {spec["clusterIP"] for spec in self._specs() if spec.get("clusterIP")}

    def ports(self) -> set[tuple[str, int]]:
        """(protocol, node port)"""
        return {pair for spec in self._specs() for pair in _node_ports(spec)}

    def _specs(self) -> Iterator[Object]:
        return (other["spec"] for other in self._reader.list(SERVICES) if uid_of(other) != self._uid)


def _node_ports(spec: Object) -> Iterable[tuple[str, int]]:
    return [
        (port.get("protocol") or "TCP", port["nodePort"]) for port in spec.get("ports") or () if port.get("nodePort")
    ]


def _assign_address(service: Object, others: _Others) -> Iterator[FieldError]:
    spec = service["spec"]
    asked = spec.get("clusterIP")
    if spec.get("type") == "ExternalName" or asked == HEADLESS:
        return
    if not asked:
        taken = others.addresses()
        spec["clusterIP"] = next(address for address in _candidates(uid_of(service)) if address not in taken)
    elif is_address(asked):
        if ipaddress.ip_address(asked) not in SERVICE_NETWORK:
            text = f"the provided IP ({asked}) is not in the valid range. The range of valid IPs is {SERVICE_NETWORK}"
            yield _address_error(asked, text)
        elif asked in others.addresses():
            yield _address_error(asked, "provided IP is already allocated")


def _address_error(asked: str, why: str) -> FieldError:
    return invalid("spec.clusterIPs", [asked], f"failed to allocate IP {asked}: {why}")


def _candidates(uid: str) -> Iterator[str]:
    """The address that is always the same for a uid, then others; one in a million is taken."""
    yield cluster_ip(uid)
    for step in itertools.count(1):
        yield cluster_ip(f"{uid}+{step}")


def _assign_ports(service: Object, old: Object | None, others: _Others) -> Iterator[FieldError]:
    spec = service["spec"]
    held = {
        (port.get("protocol"), port["port"]): port["nodePort"]
        for port in (old or {"spec": {}})["spec"].get("ports") or ()
        if port.get("nodePort")
    }
    taken = others.ports() | set(_node_ports(spec))
    foreign = others.ports()
    for index, port in enumerate(spec.get("ports") or ()):
        protocol, asked = port.get("protocol") or "TCP", port.get("nodePort")
        path = f"spec.ports[{index}].nodePort"
        if not asked:
            known = held.get((protocol, port["port"]))
            free = (n for n in _port_candidates(uid_of(service), port["port"]) if (protocol, n) not in taken)
            number = known if known and (protocol, known) not in taken else next(free, None)
            if number is None:
                yield invalid(path, 0, "failed to allocate a nodePort: range is full")
                continue
            port["nodePort"] = number
            taken.add((protocol, number))
        elif asked not in NODE_PORTS:
            text = "provided port is not in the valid range. The range of valid ports is"
            yield invalid(path, asked, f"{text} {NODE_PORTS.start}-{NODE_PORTS.stop - 1}")
        elif (protocol, asked) in foreign:
            yield invalid(path, asked, "provided port is already allocated")


def _port_candidates(uid: str, port: int) -> Iterator[int]:
    """All node ports, from one on that is always the same for a Service and a port of it."""
    start = int.from_bytes(hashlib.sha256(f"{uid}:{port}".encode()).digest()[:4], "big")
    return (NODE_PORTS[(start + step) % len(NODE_PORTS)] for step in range(len(NODE_PORTS)))
