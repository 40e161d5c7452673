"""NetworkPolicy: who may talk to a set of pods. It is checked and kept, so that a cluster's manifests apply; nobody
enforces it here, and whoever writes one is told so.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sidings.api import schemas, selector_rules
from sidings.api.fields import FieldError, forbidden, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.names import port_name
from sidings.api.objects import Object
from sidings.api.resources import NETWORK_POLICIES

NOT_ENFORCED = "NetworkPolicy is stored but not enforced: whatever it says, all pods reach each other and the outside"
TYPES = ("Egress", "Ingress")
PROTOCOLS = ("SCTP", "TCP", "UDP")
_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "", "DoesNotExist": "!"}


class NetworkPolicyRules(Rules):
    """Defaults and messages of networking.k8s.io/v1 (v1.36)."""

    def default(self, obj: Object) -> None:
        spec = obj.get("spec") or {}
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", *(["Egress"] if spec.get("egress") else [])]
        for rule in (*(spec.get("ingress") or ()), *(spec.get("egress") or ())):
            for port in rule.get("ports") or ():
                port.setdefault("protocol", "TCP")

    def validate(self, obj: Object) -> list[FieldError]:
        spec = obj.get("spec") or {}
        errors = list(selector_rules.errors(spec.get("podSelector") or {}, "spec.podSelector"))
        for direction, peers in (("ingress", "from"), ("egress", "to")):
            for number, rule in enumerate(spec.get(direction) or ()):
                path = f"spec.{direction}[{number}]"
                for index, port in enumerate(rule.get("ports") or ()):
                    errors += _port_errors(port, f"{path}.ports[{index}]")
                for index, peer in enumerate(rule.get(peers) or ()):
                    errors += _peer_errors(peer, f"{path}.{peers}[{index}]")
        types = spec.get("policyTypes") or ()
        if len(types) > len(TYPES):
            return [*errors, invalid("spec.policyTypes", types, "may not specify more than two policyTypes")]
        for index, type_ in enumerate(types):
            if type_ not in TYPES:
                errors.append(not_supported(f"spec.policyTypes[{index}]", type_, TYPES))
        return errors

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        return [NOT_ENFORCED] if old is None else []


def _port_errors(port: Object, path: str) -> Iterator[FieldError]:
    if port["protocol"] not in PROTOCOLS:
        yield not_supported(f"{path}.protocol", port["protocol"], PROTOCOLS)
    number, end = port.get("port"), port.get("endPort")
    if isinstance(number, int) and not 1 <= number <= 65535:
        yield invalid(f"{path}.port", number, "must be between 1 and 65535, inclusive")
    if isinstance(number, str):
        for message in port_name(number):
            yield invalid(f"{path}.port", number, message)
    if end is None:
        return
    if number is None:
        yield invalid(f"{path}.endPort", end, "may not be specified when `port` is not specified")
    elif isinstance(number, str):
        yield invalid(f"{path}.endPort", end, "may not be specified when `port` is non-numeric")
    else:
        if not 1 <= end <= 65535:
            yield invalid(f"{path}.endPort", end, "must be between 1 and 65535, inclusive")
        if end < number:
            yield invalid(f"{path}.endPort", end, "must be greater than or equal to `port`")


def _peer_errors(peer: Object, path: str) -> Iterator[FieldError]:
    given = [name for name in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(name) is not None]
    for name in given:
        if name != "ipBlock":
            yield from selector_rules.errors(peer[name], f"{path}.{name}")
    if not given:
        yield required(path, "must specify a peer")
    elif "ipBlock" in given and len(given) > 1:
        yield forbidden(path, "may not specify both ipBlock and another peer")
    elif "ipBlock" in given:
        yield from _block_errors(peer["ipBlock"], f"{path}.ipBlock")


def _block_errors(block: Object, path: str) -> Iterator[FieldError]:
    cidr = block.get("cidr") or ""
    if not cidr:
        yield required(f"{path}.cidr")
        return
    network = _network(cidr)
    if network is None:
        yield _not_a_network(f"{path}.cidr", cidr)
        return
    for index, text in enumerate(block.get("except") or ()):
        at = f"{path}.except[{index}]"
        hole = _network(text)
        if hole is None:
            yield _not_a_network(at, text)
        elif hole.version != network.version or not _is_strictly_inside(hole, network):
            yield invalid(at, text, "must be a strict subset of `cidr`")


_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _network(text: str) -> _Network | None:
    try:
        return ipaddress.ip_network(text, strict=False) if "/" in text else None
    except ValueError:
        return None


def _is_strictly_inside(inner: _Network, outer: _Network) -> bool:
    return inner.prefixlen > outer.prefixlen and inner.network_address in outer


def _not_a_network(path: str, text: str) -> FieldError:
    return invalid(path, text, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")


def _selector(obj: Object, now: datetime) -> Any:
    """The selector as ``kubectl`` prints it: ``a=b,c in (d,e)``."""
    selector = (obj.get("spec") or {}).get("podSelector") or {}
    parts = [f"{key}={value}" for key, value in sorted((selector.get("matchLabels") or {}).items())]
    for expression in selector.get("matchExpressions") or ():
        key, operator = expression["key"], _OPERATORS[expression["operator"]]
        values = ",".join(sorted(expression.get("values") or ()))
        parts.append(f"{key} {operator} ({values})" if values else f"{operator}{key}")
    return ",".join(parts) or columns.NONE


KIND = Kind(
    resource=NETWORK_POLICIES,
    singular="networkpolicy",
    schema=schemas.schema(NETWORK_POLICIES.group, NETWORK_POLICIES.version, NETWORK_POLICIES.kind),
    builtin=True,
    rules=NetworkPolicyRules(),
    short_names=("netpol",),
    columns=(
        columns.NAME,
        Column("Pod-Selector", cell=_selector, description="The pods that it is about."),
        columns.AGE,
    ),
    spec_fields=("spec",),
)
