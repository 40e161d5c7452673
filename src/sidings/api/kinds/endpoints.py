"""Endpoints: the addresses behind a Service, by the endpoints controller, or by hand where it has no selector."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sidings.api import endpoint_addresses, schemas
from sidings.api.fields import FieldError, invalid, not_supported, required
from sidings.api.kind import Column, Kind, Rules
from sidings.api.kinds import columns
from sidings.api.objects import Object
from sidings.api.resources import ENDPOINTS

PROTOCOLS = ("SCTP", "TCP", "UDP")
_SHOWN = 3
_LISTS = ("addresses", "notReadyAddresses")


class EndpointsRules(Rules):
    """Defaults and messages of core/v1 (v1.36)."""

    def default(self, obj: Object) -> None:
        for subset in obj.get("subsets") or ():
            for port in subset.get("ports") or ():
                port.setdefault("protocol", "TCP")

    def validate(self, obj: Object) -> list[FieldError]:
        errors: list[FieldError] = []
        for index, subset in enumerate(obj.get("subsets") or ()):
            path = f"subsets[{index}]"
            if not any(subset.get(name) for name in _LISTS):
                errors.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
            for name in _LISTS:
                for number, address in enumerate(subset.get(name) or ()):
                    errors += endpoint_addresses.errors(address.get("ip") or "", f"{path}.{name}[{number}].ip")
            ports = subset.get("ports") or ()
            for number, port in enumerate(ports):
                errors += _port_errors(port, f"{path}.ports[{number}]", alone=len(ports) == 1)
        return errors


def _port_errors(port: Object, path: str, *, alone: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if not alone and not port.get("name"):
        errors.append(required(f"{path}.name"))
    if not 1 <= int(port.get("port") or 0) <= 65535:
        errors.append(invalid(f"{path}.port", port.get("port") or 0, "must be between 1 and 65535, inclusive"))
    if port["protocol"] not in PROTOCOLS:
        errors.append(not_supported(f"{path}.protocol", port["protocol"], PROTOCOLS))
    return errors


def _addresses(obj: Object, now: datetime) -> Any:
    """The first three as ``ip:port``, and how many more there are."""
    texts = []
    for subset in obj.get("subsets") or ():
        addresses = subset.get("addresses") or ()
        ports = subset.get("ports") or ()
        if not ports:
            texts += [address["ip"] for address in addresses]
        for port in ports:
            texts += [f"{address['ip']}:{port['port']}" for address in addresses]
    if not texts:
        return columns.NONE
    more = len(texts) - _SHOWN
    return ",".join(texts[:_SHOWN]) + (f" + {more} more..." if more > 0 else "")


KIND = Kind(
    resource=ENDPOINTS,
    singular="endpoints",
    schema=schemas.schema(ENDPOINTS.group, ENDPOINTS.version, ENDPOINTS.kind),
    builtin=True,
    rules=EndpointsRules(),
    short_names=("ep",),
    columns=(
        columns.NAME,
        Column("Endpoints", cell=_addresses, description="Ready addresses and their ports."),
        columns.AGE,
    ),
    generation=False,
)
