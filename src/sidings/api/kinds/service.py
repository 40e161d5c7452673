"""Service: a stable name for a set of pods.

Names of pods and headless services are what training needs; a cluster IP is given because clients expect one. It is
derived from the Service's uid; that it is nobody else's is seen to by ``registry/admission/service_addresses``.
"""

from __future__ import annotations

import hashlib
import ipaddress
from datetime import datetime
from typing import Any

from sidings.api import schemas
from sidings.api.fields import FieldError, duplicate, forbidden, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.names import dns1123_label
from sidings.api.objects import Object
from sidings.api.resources import SERVICES

SERVICE_NETWORK = ipaddress.ip_network("10.96.0.0/12")
HEADLESS = "None"
TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
AFFINITIES = ("ClientIP", "None")
PROTOCOLS = ("SCTP", "TCP", "UDP")
AFFINITY_SECONDS = 10800
LONGEST_AFFINITY_SECONDS = 86400


def cluster_ip(uid: str) -> str:
    """An address of the service network, always the same for the same uid; never the first two nor the last one.

    The first address is the network's, the second that of the Service ``kubernetes``.
    """
    usable = SERVICE_NETWORK.num_addresses - 3
    number = int.from_bytes(hashlib.sha256(uid.encode()).digest()[:8], "big") % usable
    return str(SERVICE_NETWORK[number + 2])


class ServiceRules(Rules):
    def name_complaints(self, name: str) -> list[str]:
        # Dots get a message of their own: they would make the name a subdomain.
        return ["must not contain dots"] if "." in name else dns1123_label(name)

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        spec.setdefault("sessionAffinity", "None")
        spec.setdefault("type", "ClusterIP")
        if spec["type"] != "ExternalName":
            spec.setdefault("internalTrafficPolicy", "Cluster")
        if spec["type"] in ("NodePort", "LoadBalancer"):
            spec.setdefault("externalTrafficPolicy", "Cluster")
        if spec["type"] == "LoadBalancer":
            spec.setdefault("allocateLoadBalancerNodePorts", True)
        if spec["sessionAffinity"] == "ClientIP":
            client = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
            client.setdefault("timeoutSeconds", AFFINITY_SECONDS)
        elif spec["sessionAffinity"] == "None":
            spec.pop("sessionAffinityConfig", None)
        for port in spec.get("ports") or ():
            port.setdefault("protocol", "TCP")
            port.setdefault("targetPort", port.get("port"))
        if spec.get("clusterIP") == HEADLESS:
            spec.setdefault("clusterIPs", [HEADLESS])
        obj.setdefault("status", {}).setdefault("loadBalancer", {})

    def default_on_create(self, obj: Object) -> None:
        spec = obj["spec"]
        obj["status"] = {"loadBalancer": {}}
        if spec["type"] == "ExternalName":
            return
        if not spec.get("clusterIP"):
            spec["clusterIP"] = cluster_ip(obj["metadata"]["uid"])
        spec.setdefault("clusterIPs", [spec["clusterIP"]])
        # A headless service without selector may carry addresses of any family, which upstream writes like this even
        # where the cluster has one family only.
        any_family = spec["clusterIP"] == HEADLESS and not spec.get("selector")
        spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if any_family else ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack" if any_family else "SingleStack")

    def prepare_for_update(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]
        # Allocated fields that an update leaves out stay as they are.
        for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
            if field in old["spec"]:
                new["spec"].setdefault(field, old["spec"][field])
        if new["spec"].get("type") == "ClusterIP" and old["spec"].get("type") in ("NodePort", "LoadBalancer"):
            _drop_node_ports(new, old)

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj["spec"]
        errors: list[FieldError] = []
        ports = spec.get("ports") or []
        if not ports and spec.get("clusterIP") != HEADLESS and spec["type"] != "ExternalName":
            errors.append(required("spec.ports"))
        errors += _port_errors(ports)
        if spec["type"] == "ExternalName" and not spec.get("externalName"):
            errors.append(required("spec.externalName"))
        if spec["sessionAffinity"] not in AFFINITIES:
            errors.append(not_supported("spec.sessionAffinity", spec["sessionAffinity"], AFFINITIES))
        if spec["type"] not in TYPES:
            errors.append(not_supported("spec.type", spec["type"], TYPES))
        if spec["type"] == "ClusterIP":
            errors += [
                forbidden(f"spec.ports[{index}].nodePort", "may not be used when `type` is 'ClusterIP'")
                for index, port in enumerate(ports)
                if port.get("nodePort")
            ]
        seconds = ((spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}).get("timeoutSeconds")
        if seconds is not None and not 0 < seconds <= LONGEST_AFFINITY_SECONDS:
            path = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
            errors.append(invalid(path, seconds, f"must be greater than 0 and less than {LONGEST_AFFINITY_SECONDS}"))
        address = spec.get("clusterIP")
        if address and address != HEADLESS and not is_address(address):
            detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
            errors.append(invalid("spec.clusterIPs[0]", address, detail))
        return errors

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        before, after = old["spec"], new["spec"]
        if before["type"] == after["type"] != "ExternalName" and after.get("clusterIP") != before.get("clusterIP"):
            return [invalid("spec.clusterIPs[0]", [after.get("clusterIP") or ""], "may not change once set")]
        return []


def _drop_node_ports(new: Object, old: Object) -> None:
    """Node ports that an update to ClusterIP has carried along unchanged go, as upstream drops what a type needs."""
    held = [port.get("nodePort") for port in old["spec"].get("ports") or ()]
    ports = new["spec"].get("ports") or ()
    if all(not port.get("nodePort") or port["nodePort"] in held for port in ports):
        for port in ports:
            port.pop("nodePort", None)
    new["spec"].pop("externalTrafficPolicy", None)
    new["spec"].pop("allocateLoadBalancerNodePorts", None)


def _port_errors(ports: list[Object]) -> list[FieldError]:
    errors: list[FieldError] = []
    names: set[str] = set()
    pairs: set[tuple[Any, Any]] = set()
    for index, port in enumerate(ports):
        path = f"spec.ports[{index}]"
        name = port.get("name") or ""
        if name:
            errors += [invalid(f"{path}.name", name, message) for message in dns1123_label(name)]
            if name in names:
                errors.append(duplicate(f"{path}.name", name))
            names.add(name)
        elif len(ports) > 1:
            errors.append(required(f"{path}.name"))
        number = port.get("port") or 0
        if not 1 <= number <= 65535:
            errors.append(invalid(f"{path}.port", number, "must be between 1 and 65535, inclusive"))
        if port["protocol"] not in PROTOCOLS:
            errors.append(not_supported(f"{path}.protocol", port["protocol"], PROTOCOLS))
        pair = (port["protocol"], number)
        if pair in pairs:
            errors.append(duplicate(path, {"port": number, "protocol": port["protocol"]}))
        pairs.add(pair)
    return errors


def is_address(text: str) -> bool:
    """Whether ``text`` is an IP address of either family."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _external(obj: Object, now: datetime) -> Any:
    spec = obj["spec"]
    addresses = list(spec.get("externalIPs") or ())
    if spec["type"] == "ExternalName":
        return spec.get("externalName") or ""
    if spec["type"] == "LoadBalancer":
        ingress = ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
        addresses = [entry.get("ip") or entry.get("hostname") or "" for entry in ingress] + addresses
        return ",".join(addresses) or "<pending>"
    return ",".join(addresses) or columns.NONE


def _ports(obj: Object, now: datetime) -> Any:
    texts = []
    for port in obj["spec"].get("ports") or ():
        node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
        texts.append(f"{port['port']}{node_port}/{port['protocol']}")
    return ",".join(texts) or columns.NONE


KIND = Kind(
    resource=SERVICES,
    singular="service",
    schema=schemas.schema(SERVICES.group, SERVICES.version, SERVICES.kind),
    builtin=True,
    rules=ServiceRules(),
    short_names=("svc",),
    categories=("all",),
    subresources=frozenset({"status"}),
    columns=(
        columns.NAME,
        Column("Type", cell=columns.field("spec", "type"), description="How it is reached."),
        Column(
            "Cluster-IP",
            cell=columns.field("spec", "clusterIP", missing=columns.NONE),
            description="Its address, or None.",
        ),
        Column("External-IP", cell=_external, description="Addresses from outside."),
        Column("Port(s)", cell=_ports, description="Ports and protocols."),
        columns.AGE,
        Column(
            "Selector",
            cell=lambda obj, now: columns.selector_text(obj["spec"].get("selector")),
            priority=1,
            description="Which pods are behind it.",
        ),
    ),
    generation=False,
    field_labels={"spec.clusterIP": "spec.clusterIP", "spec.type": "spec.type"},
)
